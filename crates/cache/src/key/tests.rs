use std::collections::HashSet;

use super::{Key, KeyBuilder};

fn key(build: impl FnOnce(&mut KeyBuilder)) -> Key {
    let mut builder = KeyBuilder::default();
    build(&mut builder);
    builder.key()
}

#[test]
fn different_parts_have_different_keys() {
    let lines = |lines: &'static [&'static str]| {
        key(|it| it.parts(lines.iter().map(|line| line.as_bytes())))
    };
    let parts = |parts: &'static [Option<&'static str>]| {
        key(|it| {
            for part in parts {
                it.part(part.map(str::as_bytes));
            }
        })
    };
    let keys = [
        lines(&[]),
        lines(&[""]),
        lines(&["", ""]),
        lines(&["ab", "c"]),
        lines(&["a", "bc"]),
        lines(&["abc"]),
        lines(&["ab, c"]),
        parts(&[None, Some("a")]),
        parts(&[Some(""), Some("a")]),
        parts(&[Some("a"), Some("")]),
        parts(&[Some("a"), None]),
        parts(&[Some("a")]),
    ];
    let different: HashSet<_> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
    assert_eq!(lines(&["ab", "c"]), lines(&["ab", "c"]));
}
