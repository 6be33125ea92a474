use std::sync::Arc;

use super::{Engine, Pattern, compile_each_once};

fn share_a_table(one: &Pattern, other: &Pattern) -> bool {
    match (&one.engine, &other.engine) {
        (Engine::Automaton(one), Engine::Automaton(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

#[test]
fn a_stored_form_compiles_equal_patterns_once() {
    let texts = ["a+b", "c|d", "a+b"].map(str::to_owned).to_vec();
    let bytes = postcard::to_stdvec(&texts).unwrap();
    let read = || -> Vec<Pattern> { compile_each_once(|| postcard::from_bytes(&bytes)).unwrap() };
    let (form, other) = (read(), read());
    assert!(share_a_table(&form[0], &form[2]));
    assert!(!share_a_table(&form[0], &form[1]));
    assert!(!share_a_table(&form[0], &other[0]));
    let [one, other] = [0, 1].map(|_| Pattern::try_from("a+b".to_owned()).unwrap());
    assert!(!share_a_table(&one, &other));
}
