use super::*;

const V1_1: Option<SoapVersion> = Some(SoapVersion::V1_1);
const V1_2: Option<SoapVersion> = Some(SoapVersion::V1_2);

#[test]
fn a_media_type_implies_the_version_of_soap() {
    let rows: [(&str, Option<SoapVersion>); 10] = [
        ("text/xml", V1_1),
        ("Text/XML; charset=\"utf-8\"", V1_1),
        (
            "application/soap+xml;charset=utf-8;action=\"urn:a;b\"",
            V1_2,
        ),
        ("multipart/related; type=\"text/xml\"; boundary=b", V1_1),
        (
            "multipart/related; boundary=\"a;type=x\"; type=application/soap+xml",
            V1_2,
        ),
        (
            "multipart/related; type=\"application/xop+xml\"; start-info=\"text/xml\"",
            V1_1,
        ),
        (
            "multipart/related; start-info=\"application/soap+xml; action=\\\"urn:a\\\"\"; \
             type=\"application/xop+xml\"",
            V1_2,
        ),
        ("multipart/related; type=\"application/xop+xml\"", None),
        ("application/xml", None),
        ("", None),
    ];
    for (value, version) in rows {
        let media = MediaType::parse(value.as_bytes()).unwrap();
        assert_eq!(media.version(), version, "{value}");
    }
}

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

#[test]
fn an_action_is_found_quoted_or_not_in_field_or_parameter() {
    let rows: [(Option<&str>, &str, Option<&str>); 9] = [
        (Some("\"urn:a\""), "text/xml", Some("urn:a")),
        (Some(" urn:a "), "text/xml", Some("urn:a")),
        (Some("\"\""), "text/xml", None),
        (Some(""), "text/xml", None),
        (None, "text/xml", None),
        (
            None,
            "application/soap+xml; action=\"urn:a;b\"; charset=utf-8",
            Some("urn:a;b"),
        ),
        (
            None,
            "application/soap+xml; charset=utf-8; action=urn:a",
            Some("urn:a"),
        ),
        (
            Some("\"\""),
            "application/soap+xml; ACTION=urn:a",
            Some("urn:a"),
        ),
        (
            None,
            "multipart/related; start-info=\"application/soap+xml; action=\\\"urn:a\\\"\"",
            Some("urn:a"),
        ),
    ];
    for (field, media, expected) in rows {
        let of_media = MediaType::parse(media.as_bytes()).and_then(action_of_media);
        let found = field.and_then(|field| action_of_field(field.as_bytes()));
        assert_eq!(found.or(of_media).as_deref(), expected, "{field:?} {media}");
    }
}
