//! Tests of the survey of a Rust file.

use crate::survey::Survey;
use crate::tree::TextFile;

fn survey(text: &str) -> Survey {
    let file = TextFile {
        path: "a.rs".to_owned(),
        text: text.to_owned(),
    };
    Survey::of(&file).expect("the sample is Rust")
}

#[test]
fn a_method_is_qualified_by_its_type_and_measured_without_attributes() {
    let seen = survey(
        "struct Pool;\nimpl Pool {\n    /// Doc.\n    #[inline]\n    \
         pub(crate) fn take(&self, a: u8, b: u8) -> u8 {\n        a + b\n    }\n}\n",
    );
    let [take] = &seen.functions[..] else {
        panic!("one function: {:?}", seen.functions)
    };
    assert_eq!(
        (take.name.as_str(), take.line, take.lines, take.parameters),
        ("Pool::take", 5, 3, 2)
    );
    assert!(!take.is_of_trait && !take.is_test);
}

#[test]
fn a_method_of_a_trait_is_recognized() {
    let seen = survey("struct A;\nimpl Clone for A { fn clone(&self) -> A { A } }");
    assert!(seen.functions[0].is_of_trait);
}

#[test]
fn a_test_module_is_counted_separately() {
    let seen =
        survey("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { std::fs::read(\"\"); }\n}\n");
    assert_eq!(seen.test_lines, 4);
    assert_eq!(
        seen.functions.iter().map(|f| f.is_test).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(seen.paths.iter().all(|(path, _)| path != "std::fs::read"));
}

#[test]
fn paths_are_found_in_use_groups_expressions_and_macro_calls() {
    let seen = survey(
        "use std::{fs, net::{self, TcpStream}};\n\
         fn a() { let t = Instant::now(); assert!(1 < now(std::time::SystemTime::now())); }\n",
    );
    let has = |path: &str| seen.paths.iter().any(|(seen, _)| seen == path);
    for path in [
        "std::fs",
        "std::net::TcpStream",
        "Instant::now",
        "std::time::SystemTime::now",
    ] {
        assert!(has(path), "{path} in {:?}", seen.paths);
    }
}

#[test]
fn an_ignored_test_needs_a_reason() {
    let seen = survey("#[test]\n#[ignore]\nfn a() {}\n#[test]\n#[ignore = \"slow\"]\nfn b() {}\n");
    assert_eq!(seen.bare_ignores, [2]);
}

#[test]
fn the_members_of_a_tuple_are_parameters() {
    let seen = survey(
        "type Pair<'a> = (&'a u8, u8);\n\
         fn a(&self, (b, c): (u8, u8), d: &mut (u8, (u8, u8)), e: Vec<(u8, u8)>, f: ()) {}\n\
         fn g(h: &Pair<'_>) {}\n\
         fn i((j, k): &other::Field) {}\n\
         impl Fn for A { fn call(&self, pair: (u8, u8)) {} }",
    );
    let counts = |at: usize| (seen.functions[at].parameters, seen.functions[at].tuples);
    assert_eq!(counts(0), (7, 2));
    assert_eq!(counts(1), (2, 1));
    assert_eq!(counts(2), (2, 1));
    assert_eq!(counts(3), (1, 0));
}

#[test]
fn a_value_with_the_name_of_what_it_is_made_of_is_a_renewal() {
    let seen = survey(
        "fn a() { let x = 1; let x = x.b()?.c; let mut x: u8 = x; let y = x.d(); let z = z(x); }",
    );
    assert_eq!((seen.lets, seen.renewals), (5, 2));
}
