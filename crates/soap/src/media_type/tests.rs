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
    for (value, expected) in rows {
        let media = MediaType::parse(value.as_bytes()).unwrap();
        assert_eq!(version(&media), expected, "{value}");
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
