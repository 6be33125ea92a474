use super::names_tag;

#[test]
fn tags_are_compared_weakly() {
    let rows: &[(&[&str], &str, bool)] = &[
        (&[], "\"a\"", false),
        (&["\"a\""], "\"a\"", true),
        (&["W/\"a\""], "\"a\"", true),
        (&["\"a\""], "W/\"a\"", true),
        (&["w/\"a\""], "\"a\"", false),
        (&["\"b\", ,\"a\","], "\"a\"", true),
        (&["\"b\"", "\"a\""], "\"a\"", true),
        (&["\"b,\"a\""], "\"a\"", false),
        (&["\"b, a\""], "\"a\"", false),
        (&["\"a\"x"], "\"a\"", false),
        (&["\"a"], "\"a\"", false),
        (&["a"], "a", false),
        (&["*"], "\"a\"", true),
        (&["*"], "", false),
        (&["*, \"a\""], "\"a\"", false),
        (&["\"\""], "\"\"", true),
        (&["\"A\""], "\"a\"", false),
    ];
    for (lines, tag, expected) in rows {
        let is_named = names_tag(lines.iter().map(|line| line.as_bytes()), tag.as_bytes());
        assert_eq!(is_named, *expected, "{lines:?} {tag}");
    }
}
