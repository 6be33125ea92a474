use super::*;

#[test]
fn a_charset_is_found_between_quotes_of_both_kinds() {
    let charset = |value: &str| {
        let media = MediaType::parse(value.as_bytes()).unwrap();
        media.charset().map(Cow::into_owned)
    };
    for (value, expected) in [
        ("text/xml; charset=gbk", Some("gbk")),
        ("text/xml;CHARSET=\"gbk\"", Some("gbk")),
        ("text/xml; charset='gbk'; a=b", Some("gbk")),
        ("text/xml; charset=\"'gb\\k'\"", Some("gbk")),
        ("text/xml; charset='gbk", Some("'gbk")),
        ("text/xml; charset='", Some("'")),
        ("text/xml; charset=''", None),
        ("text/xml; charset=", None),
        ("text/xml", None),
    ] {
        assert_eq!(charset(value).as_deref(), expected, "{value}");
    }
    // An apostrophe is part of a boundary.
    let media = MediaType::parse(b"multipart/related; boundary='b'").unwrap();
    assert_eq!(media.parameter("boundary").as_deref(), Some("'b'"));
}

#[test]
fn a_parameter_with_two_values_or_in_extended_forms_is_ambiguous() {
    for (value, expected) in [
        ("a/b; type=c", false),
        ("a/b; x=\"; type=d\"; type=c", false),
        ("a/b; xtype=c; typex=d; type=e", false),
        ("a/b", false),
        ("a/b; type=c; Type=\"\\c\"", false),
        ("a/b; type=c; x=y; TYPE =d", true),
        ("a/b; type=c; type=c; type=C", true),
        ("a/b; type=c; type", false),
        ("a/b; type*=utf-8''c", true),
        ("a/b; type*0=c; type*1=d", true),
        ("a/b; type=c; type*0=d", true),
    ] {
        let media = MediaType::parse(value.as_bytes()).unwrap();
        assert_eq!(media.is_ambiguous("type"), expected, "{value}");
    }
}
