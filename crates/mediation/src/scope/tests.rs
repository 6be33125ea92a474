use super::Scratch;
use crate::value::Value;

fn text(value: Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_owned()),
        Value::Absent => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_of_a_header_are_joined() {
    let scratch = Scratch::default();
    let join = |lines: &'static [&'static [u8]]| text(scratch.join_lines(lines.iter().copied()));
    assert_eq!(join(&[]), None);
    assert_eq!(join(&[b"a"]).as_deref(), Some("a"));
    assert_eq!(join(&[b"a", b"b,c"]).as_deref(), Some("a, b,c"));
    assert_eq!(join(&[b"\xFF"]), None);
    assert_eq!(join(&[b"a", b"\xFF"]), None);
}

#[test]
fn the_first_value_of_a_query_key_is_decoded() {
    let scratch = Scratch::default();
    let query = b"&b=&a%5B=1+2%2B&a[=3&c&d=%FF&e=%f&f=%";
    let find = |key| text(scratch.find_in_query(query, key));
    assert_eq!(find("a[").as_deref(), Some("1 2+"));
    assert_eq!(find("b").as_deref(), Some(""));
    assert_eq!(find("c").as_deref(), Some(""));
    for key in ["d", "e", "f", "g", ""] {
        assert_eq!(find(key), None, "{key}");
    }
    assert_eq!(
        text(scratch.decode(b"a+b%2F", false)).as_deref(),
        Some("a+b/")
    );
}
