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
fn contexts_that_could_be_mistaken_overlap() {
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
fn every_fault_of_a_configuration_is_told_with_its_place() {
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
