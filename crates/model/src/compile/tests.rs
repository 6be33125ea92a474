use super::*;
use crate::feed::ServedCors;
use crate::security::Security;

fn version(state: State) -> Version {
    Version {
        id: VersionId::from_raw(7),
        api: ApiId::from_raw(3),
        kind: Kind::Rest,
        api_name: "Pets".into(),
        context: "/pets".into(),
        name: "1.0".into(),
        is_default: true,
        other_versions: Vec::new(),
        state,
        revision: RevisionId::from_raw(1),
        deprecation: None,
    }
}

fn configuration(text: &str) -> Configuration {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_published_version_is_served_with_its_upstream_parsed() {
    let configuration = configuration(
        r#"{"operations":[{"method":"GET","path":"/pets/{pet}"}],
            "upstream":{"url":"http://127.0.0.1:81/v2/"},"key_header":"X-Key"}"#,
    );
    let served = compile(
        &version(State::Published),
        &configuration,
        Documents::default(),
        0,
    )
    .unwrap()
    .unwrap();
    let upstream = served.upstream.unwrap();
    let target = &upstream.targets[0];
    assert_eq!((target.port, target.base_path.as_str()), (81, "/v2"));
    assert_eq!(served.security, serve_security(&Security::api_key("X-Key")));
    assert_eq!(served.operations.len(), 1);
}

#[test]
fn a_created_version_is_not_served_and_an_invalid_one_returns_its_faults() {
    let good = configuration("{}");
    assert_eq!(
        compile(&version(State::Created), &good, Documents::default(), 0),
        Ok(None)
    );
    let wrong = configuration(r#"{"upstream":{"url":"x"},"key_header":"te"}"#);
    let faults = compile(&version(State::Published), &wrong, Documents::default(), 0).unwrap_err();
    assert_eq!(faults.len(), 2);
}

#[test]
fn an_operation_keeps_its_id_when_only_a_parameter_is_renamed() {
    let id = |path: &str| {
        let path = PathTemplate::parse(path).unwrap();
        operation_id(VersionId::from_raw(7), Method::Get, &path)
    };
    assert_eq!(id("/pets/{pet}"), id("/pets/{id}"));
    assert_ne!(id("/pets/{pet}"), id("/pets"));
}

fn cors_of(text: &str, headers: &[&str]) -> Option<ServedCors> {
    let headers: Vec<_> = headers.iter().map(|&name| name.to_owned()).collect();
    let documents = Documents {
        headers: &headers,
        ..Documents::default()
    };
    let served = compile(
        &version(State::Published),
        &configuration(text),
        documents,
        0,
    );
    served.unwrap().unwrap().cors.map(|cors| *cors)
}

#[test]
fn pages_may_send_what_calls_of_the_version_have() {
    assert_eq!(cors_of("{}", &["X-Any"]), None);
    let text =
        r#"{"key_header":"X-Key","policies":{"cors":{"origins":["https://b","https://a"]}}}"#;
    let cors = cors_of(text, &["X-Own", "x-own", "Cookie", "b d", "If-Match"]).unwrap();
    assert_eq!(
        cors.headers,
        [
            "authorization",
            "content-type",
            "if-match",
            "x-key",
            "x-own"
        ]
    );
    assert_eq!(
        cors.origins.unwrap(),
        ["https://a", "https://b"],
        "sorted, to be found"
    );
    assert!(cors.methods.contains(&Method::Delete) && !cors.methods.contains(&Method::Trace));
    let text =
        r#"{"policies":{"cors":{"origins":["*"],"headers":["X-B","x-a"],"methods":["PUT"]}}}"#;
    let cors = cors_of(text, &["X-Own"]).unwrap();
    assert_eq!(cors.headers, ["x-a", "x-b"]);
    assert_eq!((cors.origins, cors.methods), (None, vec![Method::Put]));
}
