use super::*;
use tollgate_model::secret::Secret;
use tollgate_soap::plan::Message;

fn said(version: SoapVersion, action: &str, basic: Option<&Basic>) -> String {
    let operation = Operation {
        name: "o".into(),
        overload: None,
        version,
        action: action.into(),
        request: Message::default(),
        response: None,
        faults: Vec::new(),
        proxy_only: None,
    };
    String::from_utf8(fields(&operation, basic)).unwrap()
}

#[test]
fn the_head_has_the_fields_of_the_soap_version() {
    assert_eq!(
        said(SoapVersion::V1_1, "urn:a#b", None),
        "accept: text/xml, multipart/related\r\nsoapaction: \"urn:a#b\"\r\n\
         content-type: text/xml; charset=utf-8\r\n"
    );
    assert_eq!(
        said(SoapVersion::V1_2, "urn:a", None),
        "accept: application/soap+xml, multipart/related\r\n\
         content-type: application/soap+xml; charset=utf-8; action=\"urn:a\"\r\n"
    );
    assert!(said(SoapVersion::V1_1, "", None).contains("\r\nsoapaction: \"\"\r\n"));
    assert!(!said(SoapVersion::V1_2, "", None).contains("action="));
    let basic = Basic {
        name: "tollgate".into(),
        password: Secret("pa:ss".into()),
    };
    let said = said(SoapVersion::V1_1, "", Some(&basic));
    assert!(said.ends_with("\r\nauthorization: Basic dG9sbGdhdGU6cGE6c3M=\r\n"));
}

#[test]
fn an_action_cannot_inject_fields() {
    for version in [SoapVersion::V1_1, SoapVersion::V1_2] {
        let said = said(version, "a\"\r\nx: \\\u{e4} b", None);
        assert!(
            said.contains("\"a%22%0D%0Ax:%20%5C%C3%A4%20b\"\r\n"),
            "{said}"
        );
    }
}
