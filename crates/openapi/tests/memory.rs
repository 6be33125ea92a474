//! The peak memory of reading one document, whatever the document: to import it, or as a whole.
//!
//! Each document is read by a process of its own, whose peak the system reports; the document
//! itself counts.

#![cfg(target_os = "linux")]

use std::env;
use std::process::Command;

use tollgate_openapi::{Limits, examples, read};

/// Maximum memory to read one document, with the document.
const MEMORY_MAX: usize = 64 << 20;
/// Maximum bytes of a document.
const BYTES_MAX: usize = 16 << 20;
/// Names the document that the process reads.
const NAME: &str = "TOLLGATE_TEST_DOCUMENT";

/// A document by its name, and the outcome of reading it.
type Row = (&'static str, fn() -> String, &'static str);

/// Documents that are cheap to send and expand in one way each. Those that are read are just within
/// a bound.
const ROWS: [Row; 18] = [
    ("media types of bodies", || media_types(10_000), BUDGET),
    ("fewer media types of bodies", || media_types(20), "read"),
    ("media types of responses", || responses(10_000), BUDGET),
    ("fewer media types of responses", || responses(8), "read"),
    (
        "lists of types",
        || schema("type", r#""a","#, BYTES_MAX),
        BUDGET,
    ),
    ("fewer types", || schema("type", r#""a","#, 400_000), "read"),
    ("values", || schema("enum", "0,", BYTES_MAX), BUDGET),
    ("fewer values", || schema("enum", "0,", 1_650_000), "read"),
    (
        "objects",
        || schema("allOf", r#"{"a":{}},"#, BYTES_MAX),
        BUDGET,
    ),
    (
        "fewer objects",
        || schema("allOf", r#"{"a":{}},"#, 2_100_000),
        "read",
    ),
    (
        "objects of an extension",
        || extension(r#"{"a":{}},"#),
        BUDGET,
    ),
    ("a long text and values", long_text, "read"),
    ("fields of the document", fields, BUDGET),
    ("header parameters", || header_parameters(450_000), BUDGET),
    ("path items that are shared", shared_items, BUDGET),
    ("aliases of a long text", aliases, BUDGET),
    ("references into a large object", references, "read"),
    ("values of YAML", || yaml("a,", BYTES_MAX), BUDGET),
];

/// Maximum estimated memory of a document that is read whole, and its maximum memory while it is
/// read, with the document.
const ESTIMATE_MAX: usize = 64 << 20;
const WHOLE_MEMORY_MAX: usize = 96 << 20;

/// Documents that are read whole.
const WHOLE_ROWS: [Row; 4] = [
    ("whole values", || whole("0,", BYTES_MAX), BUDGET),
    ("fewer whole values", || whole("0,", 2_790_000), "read"),
    ("whole objects", || whole(r#"{"a":{}},"#, 4_000_000), "read"),
    ("whole values of YAML", || yaml("a,", 2_000_000), "read"),
];

/// The code of documents that would take too much memory.
const BUDGET: &str = "openapi.budget";

fn openapi(rest: &str) -> String {
    format!(r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},{rest}}}"#)
}

fn swagger(rest: &str) -> String {
    format!(r#"{{"swagger":"2.0","info":{{"title":"T","version":"1"}},{rest}}}"#)
}

/// Repeats a text to the length of a document.
fn filled(one: &str, bytes: usize) -> String {
    one.repeat((bytes - 1_000) / one.len())
}

/// Returns the members that a function writes for each number.
fn numbered(count: usize, member: impl Fn(usize) -> String) -> String {
    let members: Vec<_> = (0..count).map(member).collect();
    members.join(",")
}

/// Returns a Swagger document with 1,000 operations.
fn operations(rest: &str, operation: &str) -> String {
    let paths = numbered(1_000, |number| {
        format!(r#""/{number}":{{"post":{operation}}}"#)
    });
    swagger(&format!(r#"{rest},"paths":{{{paths}}}"#))
}

fn media_types(count: usize) -> String {
    let types = numbered(count, |number| format!(r#""a/{number}""#));
    let body = r#"{"parameters":[{"in":"body","name":"b","schema":{"type":"string"}}]}"#;
    operations(&format!(r#""consumes":[{types}]"#), body)
}

fn responses(count: usize) -> String {
    let types = numbered(count, |number| format!(r#""a/{number}""#));
    let response = r#"{"responses":{"200":{"schema":{"type":["a","b","c"]}}}}"#;
    operations(&format!(r#""produces":[{types}]"#), response)
}

fn schema(keyword: &str, item: &str, bytes: usize) -> String {
    let list = filled(item, bytes);
    let list = list.trim_end_matches(',');
    swagger(&format!(
        r#""definitions":{{"a":{{"{keyword}":[{list}]}}}},"paths":{{}}"#
    ))
}

fn extension(item: &str) -> String {
    let list = filled(item, BYTES_MAX);
    openapi(&format!(r#""x-a":[{list}0],"paths":{{}}"#))
}

fn fields() -> String {
    let fields = numbered(1_000_000, |number| format!("\"{number}\":0"));
    openapi(&format!(r#"{fields},"paths":{{}}"#))
}

fn header_parameters(count: usize) -> String {
    let header = |number| format!(r#"{{"in":"header","name":"{number}"}}"#);
    let parameters = numbered(count, header);
    openapi(&format!(
        r#""paths":{{"/a":{{"parameters":[{parameters}]}}}}"#
    ))
}

fn long_text() -> String {
    let (text, list) = ("a".repeat(15 << 20), filled("0,", 750_000));
    let schema = format!(r#"{{"description":"{text}","enum":[{list}0]}}"#);
    swagger(&format!(r#""definitions":{{"a":{schema}}},"paths":{{}}"#))
}

fn shared_items() -> String {
    let paths = numbered(4_990, |number| {
        format!(r##""/{number}":{{"$ref":"#/x-item"}}"##)
    });
    let zeros = numbered(600, |_| "0".to_owned());
    openapi(&format!(
        r#""x-item":{{"summary":[{zeros}],"get":{{}}}},"paths":{{{paths}}}"#
    ))
}

fn aliases() -> String {
    let text = "a".repeat(250_000);
    let aliases = "- *a\n".repeat(990);
    format!(
        "openapi: 3.1.0\nx-a: &a \"{text}\"\nx-b:\n{aliases}info: {{title: T, version: 1}}\n\
         paths: {{}}\n"
    )
}

/// Returns a Swagger document whose paths refer to members of one object, just within the bound on
/// kept values.
fn references() -> String {
    let members = numbered(90_000, |number| format!(r#""{number}":{{}}"#));
    let paths = numbered(4_900, |number| {
        format!(r##""/{number}":{{"$ref":"#/x-items/{number}"}}"##)
    });
    swagger(&format!(r#""x-items":{{{members}}},"paths":{{{paths}}}"#))
}

fn whole(item: &str, bytes: usize) -> String {
    let list = filled(item, bytes);
    let list = list.trim_end_matches(',');
    openapi(&format!(
        r#""components":{{"schemas":{{"a":{{"enum":[{list}]}}}}}},"paths":{{}}"#
    ))
}

fn yaml(item: &str, bytes: usize) -> String {
    let list = filled(item, bytes);
    format!("openapi: 3.1.0\ninfo: {{title: T, version: 1}}\npaths: {{}}\nx-a: [{list}a]\n")
}

/// Returns a field of this process's status in bytes.
fn status(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line
        .expect("a field")
        .trim_start_matches(':')
        .trim()
        .trim_end_matches(" kB");
    kilobytes.parse::<usize>().expect("a number") * 1_024
}

/// Reads a document in this process and prints its outcome and the peak memory.
#[expect(
    clippy::print_stdout,
    reason = "read by the process that started this one"
)]
fn read_here(name: &str, document: &str) {
    assert!(document.len() <= BYTES_MAX, "{}", document.len());
    let before = status("VmRSS") - document.len();
    // Ends the peak of creating the document.
    std::fs::write("/proc/self/clear_refs", "5").expect("a new peak");
    let limits = Limits {
        memory_max: ESTIMATE_MAX,
        ..Limits::default()
    };
    let outcome = match WHOLE_ROWS.iter().any(|it| it.0 == name) {
        true => examples(document.as_bytes(), limits).map(drop),
        false => read(document.as_bytes(), limits)
            .map(drop)
            .map_err(|mut faults| faults.remove(0)),
    };
    let outcome = outcome.map_or_else(|fault| fault.code, |()| "read".to_owned());
    println!("outcome {outcome} {}", status("VmHWM") - before);
}

#[test]
fn a_document_takes_at_most_64_mb_whatever_it_expands_to() {
    check(&ROWS, MEMORY_MAX);
}

#[test]
fn a_document_that_is_read_whole_takes_at_most_96_mb() {
    check(&WHOLE_ROWS, WHOLE_MEMORY_MAX);
}

/// Checks documents one after the other; in the process of one of them, reads it.
fn check(rows: &[Row], memory_max: usize) {
    if let Ok(name) = env::var(NAME) {
        if let Some((_, document, _)) = rows.iter().find(|it| it.0 == name) {
            read_here(&name, &document());
        }
        return;
    }
    for (name, _, expected) in rows {
        let mut reader = Command::new(env::current_exe().expect("a path"));
        let output = reader
            .arg("--nocapture")
            .env(NAME, name)
            .output()
            .expect("a process");
        let output = String::from_utf8(output.stdout).expect("UTF-8");
        let line = output.lines().find_map(|it| it.split_once("outcome "));
        let (_, line) = line.unwrap_or_else(|| panic!("{name}: {output}"));
        let (outcome, bytes) = line.split_once(' ').expect("two words");
        assert_eq!(outcome, *expected, "{name}");
        assert!(
            bytes.parse::<usize>().expect("a number") < memory_max,
            "{name}: {bytes}"
        );
    }
}
