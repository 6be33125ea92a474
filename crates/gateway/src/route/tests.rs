use super::*;
use crate::contexts::Contexts;
use crate::mediation::Mediation;
use crate::operations::Operations;
use crate::version::Security;
use std::sync::Arc;
use tollgate_counters::Counters;
use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};
use tollgate_model::api::Kind;
use tollgate_model::compile::{self, operation_id};
use tollgate_model::id::{ApiId, OperationId, RevisionId, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::template::PathTemplate;

const PATHS: &[(&str, &str)] = &[
    ("GET", "/"),
    ("GET", "/pets"),
    ("POST", "/pets"),
    ("GET", "/pets/{pet}"),
    ("GET", "/pets/mine"),
    ("DELETE", "/pets/{pet}/photos"),
];

pub(crate) fn version(
    id: i64,
    context: &str,
    name: &str,
    is_default: bool,
    state: State,
) -> Arc<Version> {
    let operations: Vec<String> = PATHS
        .iter()
        .map(|(method, path)| format!(r#"{{"method":"{method}","path":"{path}"}}"#))
        .collect();
    let configuration = format!(r#"{{"operations":[{}]}}"#, operations.join(","));
    let version = compile::Version {
        id: VersionId::from_raw(id),
        api: ApiId::from_raw(1),
        kind: Kind::Rest,
        context: context.into(),
        name: name.into(),
        is_default,
        state,
        revision: RevisionId::from_raw(1),
    };
    let configuration = serde_json::from_str(&configuration).unwrap();
    let served = compile::compile(&version, &configuration, None, 0)
        .unwrap()
        .unwrap();
    let mediation = Arc::new(Mediation::rest());
    let operations = served.operations.iter();
    let operations = operations.map(|it| (it, Arc::clone(&mediation))).collect();
    let operations = Operations::new(operations, &Counters::new([7; 16]));
    let (bounds, production, sandbox) = (Vec::new(), None, None);
    let security = Security::new(&served.security);
    Arc::new(Version {
        served,
        operations,
        service: None,
        soap_to_rest: None,
        security,
        bounds,
        production,
        sandbox,
    })
}

fn snapshot() -> Snapshot {
    let mut contexts = Contexts::default();
    contexts.insert(&version(1, "/shop", "1.0", false, State::Published));
    contexts.insert(&version(2, "/shop", "2.0", true, State::Published));
    contexts.insert(&version(3, "/hr/people", "1", false, State::Published));
    contexts.insert(&version(4, "/off", "1", true, State::Blocked));
    Snapshot {
        contexts: Arc::new(contexts),
        ..Snapshot::default()
    }
}

/// The version and the operation that a request line leads to, or its refusal's code and status.
fn lead(line: &str) -> Result<(i64, OperationId, String), (&'static str, u16)> {
    let bytes = format!("{line} HTTP/1.1\r\nhost: a\r\n\r\n");
    let bounds = Bounds {
        head_bytes_max: 8192,
        fields_max: 9,
        target_bytes_max: 4096,
    };
    let mut head = RequestHead::default();
    parse::request(bytes.as_bytes(), bounds, &mut head).unwrap();
    let head = Request::new(&head, bytes.as_bytes());
    let snapshot = snapshot();
    let found = find_version(&snapshot, head).and_then(|found| find_operation(found, head));
    match found {
        Ok(routed) => {
            let resource = String::from_utf8(routed.resource(head).to_vec()).unwrap();
            Ok((
                routed.version().served.id.raw(),
                routed.operation.unwrap().id,
                resource,
            ))
        }
        Err(refused) => Err((refused.refusal.facts().code, refused.refusal.facts().status)),
    }
}

fn found(version: i64, method: Method, path: &str, resource: &str) -> (i64, OperationId, String) {
    let template = PathTemplate::parse(path).unwrap();
    let operation = operation_id(VersionId::from_raw(version), method, &template);
    (version, operation, resource.to_owned())
}

#[test]
fn a_path_leads_to_the_version_that_it_names_or_to_the_default_one() {
    let get = Method::Get;
    assert_eq!(
        lead("GET /shop/1.0/pets"),
        Ok(found(1, get, "/pets", "/pets"))
    );
    assert_eq!(
        lead("GET /shop/2.0/pets"),
        Ok(found(2, get, "/pets", "/pets"))
    );
    assert_eq!(
        lead("GET /shop/pets?a=/x"),
        Ok(found(2, get, "/pets", "/pets?a=/x"))
    );
    assert_eq!(
        lead("GET /hr/people/1/pets"),
        Ok(found(3, get, "/pets", "/pets"))
    );
    assert_eq!(lead("GET /shop"), Ok(found(2, get, "/", "")));
    assert_eq!(lead("GET /shop/1.0?x"), Ok(found(1, get, "/", "?x")));
    assert_eq!(lead("GET /shop/1.0/"), Ok(found(1, get, "/", "/")));
    assert_eq!(
        lead("GET http://a/shop/pets"),
        Ok(found(2, get, "/pets", "/pets"))
    );
    for none in [
        "GET /",
        "GET /hr",
        "GET /hr/people/pets",
        "GET /shops/pets",
        "GET /Shop/pets",
    ] {
        assert_eq!(lead(none), Err(("route.no_api", 404)), "{none}");
    }
}

#[test]
fn literals_come_before_parameters_and_parameters_take_one_segment() {
    let get = Method::Get;
    assert_eq!(
        lead("GET /shop/pets/mine"),
        Ok(found(2, get, "/pets/mine", "/pets/mine"))
    );
    assert_eq!(
        lead("GET /shop/pets/7"),
        Ok(found(2, get, "/pets/{pet}", "/pets/7"))
    );
    let photos = found(2, Method::Delete, "/pets/{pet}/photos", "/pets/mine/photos");
    assert_eq!(lead("DELETE /shop/pets/mine/photos"), Ok(photos));
    for none in ["GET /shop/pets/", "GET /shop/pets/7/8", "GET /shop//pets"] {
        assert_eq!(lead(none), Err(("route.no_operation", 404)), "{none}");
    }
}

#[test]
fn dots_that_name_no_other_path_and_encodings_that_are_none_pass() {
    for plain in [
        "/shop/pets/a%2fb..c%zz",
        "/shop/pets/.hidden",
        "/shop/pets/...",
        "/shop/pets/%",
    ] {
        assert_eq!(
            lead(&format!("GET {plain}")).map(|found| found.0),
            Ok(2),
            "{plain}"
        );
    }
}

#[test]
fn another_method_is_405_a_blocked_version_503_and_a_dot_segment_400() {
    assert_eq!(lead("PUT /shop/pets"), Err(("route.no_operation", 405)));
    assert_eq!(lead("BREW /shop/pets"), Err(("route.no_operation", 405)));
    assert_eq!(lead("GET /off/1/pets"), Err(("route.blocked", 503)));
    assert_eq!(lead("GET /off/nothing"), Err(("route.blocked", 503)));
    let disguised = [
        "/shop/1.0/../2.0/pets",
        "/shop/./pets",
        "/shop/pets/%2E%2e",
        "/shop/.%2e/x",
        "/shop/pets/..%2f..%2fadmin",
        "/shop/pets/..%5cadmin",
        "/shop/..;a=b/admin",
        "/shop/pets/%2e%2e;",
        "/shop/pets/a%00",
    ];
    for dots in disguised {
        assert_eq!(
            lead(&format!("GET {dots}")),
            Err(("listener.bad_request", 400)),
            "{dots}"
        );
    }
}
