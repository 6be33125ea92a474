use super::*;

fn faults(configuration: &str) -> Vec<String> {
    let configuration: Configuration = serde_json::from_str(configuration).unwrap();
    let faults = configuration.faults(Kind::Rest);
    faults
        .into_iter()
        .map(|fault| format!("{} {}", fault.field, fault.code))
        .collect()
}

#[test]
fn ambiguous_contexts_overlap() {
    assert!(contexts_overlap("/a", "/a"));
    assert!(contexts_overlap("/a", "/a/b"));
    assert!(contexts_overlap("/a/b", "/a"));
    assert!(!contexts_overlap("/a", "/ab"));
    assert!(!contexts_overlap("/a/b", "/a/c"));
}

#[test]
fn contexts_and_versions_are_plain_path_segments() {
    for good in ["/a", "/pet-store/v", "/a_b.c~d"] {
        assert_eq!(context_fault(good), None, "{good}");
    }
    for wrong in [
        "",
        "a",
        "/",
        "/a/",
        "/a//b",
        "/..",
        "/.well-known",
        "/a b",
        "/é",
        "/a%2f",
    ] {
        assert!(context_fault(wrong).is_some(), "{wrong}");
    }
    for wrong in ["", "..", ".", "1/0", "1 0", &"1".repeat(33)] {
        assert!(version_name_fault(wrong).is_some(), "{wrong}");
    }
    assert_eq!(version_name_fault("1.0.0-rc_1"), None);
}

#[test]
fn every_fault_of_a_configuration_is_reported_with_its_place() {
    let configuration = r#"{
        "operations": [{"method":"GET","path":"/a/{b}"}, {"method":"GET","path":"/a/{c}"}],
        "upstream": {"url":"ftp://a"},
        "limits": [{"per":"subscription","amount":1,"window":"day"}],
        "key_header": "Host"}"#;
    assert_eq!(
        faults(configuration),
        [
            "/operations/1 operation.repeated",
            "/upstream/url upstream.url",
            "/limits/0/per limit.per",
            "/key_header version.key_header",
        ]
    );
}

#[test]
fn a_method_is_known_by_its_exact_token() {
    for method in METHODS {
        assert_eq!(Method::from_token(method.word().as_bytes()), Some(method));
    }
    assert_eq!(Method::from_token(b"get"), None);
}

#[test]
fn paths_with_equal_encodings_are_faults_when_saved() {
    let path_faults = |configuration: &str| -> Vec<String> {
        let configuration: Configuration = serde_json::from_str(configuration).unwrap();
        assert_eq!(configuration.faults(Kind::Rest), [], "served as stored");
        let faults = configuration.path_faults().into_iter();
        faults
            .map(|it| format!("{} {}", it.field, it.code))
            .collect()
    };
    let operations = r#"[{"method":"GET","path":"/a%2Db"}, {"method":"GET","path":"/a-b"},
        {"method":"POST","path":"/a-b"}, {"method":"GET","path":"/A-B"},
        {"method":"GET","path":"/x%zz"}]"#;
    let exact = format!(r#"{{"operations":{operations}}}"#);
    let expected = [
        "/operations/1 operation.repeated",
        "/operations/4 operation.path",
    ];
    assert_eq!(path_faults(&exact), expected);
    let folded = format!(r#"{{"paths":"ignore_case","operations":{operations}}}"#);
    let expected = [
        "/operations/1 operation.repeated",
        "/operations/3 operation.repeated",
        "/operations/4 operation.path",
    ];
    assert_eq!(path_faults(&folded), expected);
}

#[test]
fn a_new_version_refuses_encoded_slashes_and_a_stored_one_passes_them() {
    let stored: Configuration = serde_json::from_str("{}").unwrap();
    assert_eq!(stored.reading().encoded_slash, EncodedSlash::Pass);
    let new = Configuration::initial(Kind::Rest).reading();
    assert_eq!(new.encoded_slash, EncodedSlash::Refuse);
    assert_eq!(Configuration::initial(Kind::Soap), stored);
    let soap = serde_json::from_str::<Configuration>(r#"{"semicolon":"pass"}"#).unwrap();
    assert!(
        soap.faults(Kind::Soap)
            .iter()
            .any(|it| it.field == "/semicolon")
    );
}
