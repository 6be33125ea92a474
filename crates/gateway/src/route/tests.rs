use super::*;
use crate::snapshot::contexts::Contexts;
use crate::snapshot::mediation::Mediation;
use crate::snapshot::operations::Operations;
use crate::snapshot::version::Security;
use std::sync::Arc;

use tollgate_counters::Counters;
use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, Documents, operation_id};
use tollgate_model::id::{ApiId, OperationId, RevisionId, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::path::{EncodedSlash, Paths, Semicolon};
use tollgate_model::template::PathTemplate;

mod mixed;
mod rests;

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
    let configuration = configuration(PATHS);
    version_of((id, context, name), (is_default, state), &configuration)
}

fn configuration(paths: &[(&str, &str)]) -> Configuration {
    let operations: Vec<String> = paths
        .iter()
        .map(|(method, path)| format!(r#"{{"method":"{method}","path":"{path}"}}"#))
        .collect();
    let configuration = format!(r#"{{"operations":[{}]}}"#, operations.join(","));
    serde_json::from_str(&configuration).unwrap()
}

fn version_of(
    (id, context, name): (i64, &str, &str),
    (is_default, state): (bool, State),
    configuration: &Configuration,
) -> Arc<Version> {
    let version = compile::Version {
        id: VersionId::from_raw(id),
        api: ApiId::from_raw(1),
        kind: Kind::Rest,
        api_name: "Pets".to_owned(),
        context: context.into(),
        name: name.into(),
        is_default,
        other_versions: Vec::new(),
        state,
        revision: RevisionId::from_raw(1),
        deprecation: None,
    };
    let served = compile::compile(&version, configuration, Documents::default(), 0)
        .unwrap()
        .unwrap();
    let mediation = Arc::new(Mediation::rest());
    let operations = served.operations.iter();
    let operations = operations.map(|it| (it, Arc::clone(&mediation))).collect();
    let operations = Operations::new(operations, &served, &Counters::new([7; 16], 1_000));
    let (bounds, production, sandbox) = (Vec::new(), None, None);
    let security = Security::new(&served.security);
    Arc::new(Version {
        served,
        operations,
        service: None,
        soap_to_rest: None,
        security,
        bounds,
        found: None,
        production,
        cors: None,
        sandbox,
        steps: None,
        deprecation: None,
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

/// The version and operation that a request line leads to, or the code and status of its refusal.
fn lead(line: &str) -> Result<(i64, OperationId, String), (&'static str, u16)> {
    lead_in(&snapshot(), line)
}

fn lead_in(
    snapshot: &Snapshot,
    line: &str,
) -> Result<(i64, OperationId, String), (&'static str, u16)> {
    let (line, fields) = line.split_once('\n').unwrap_or((line, ""));
    let bytes = format!("{line} HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
    let bounds = Bounds {
        head_bytes_max: 8192,
        fields_max: 9,
        target_bytes_max: 4096,
    };
    let mut head = RequestHead::default();
    parse::request(bytes.as_bytes(), bounds, &mut head).unwrap();
    let head = Request::new(&head, bytes.as_bytes());
    let found = SentPath::read(head).and_then(|path| {
        let found = snapshot.contexts.find(&path.normalized);
        let method = Method::from_token(head.method());
        let (version, start) = found.ok_or(Refusal::NoApi)?;
        find_operation(version, start, &path, head, method)
    });
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
fn dots_that_name_no_other_path_pass() {
    for plain in [
        "/shop/pets/.hidden",
        "/shop/pets/...",
        "/shop/pets/a%2fb..c",
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
        "/shop/pets/a%zz",
        "/shop/pets/%",
        "/shop/pets/a%2",
    ];
    for dots in disguised {
        assert_eq!(
            lead(&format!("GET {dots}")),
            Err(("listener.bad_request", 400)),
            "{dots}"
        );
    }
}

/// Operations that a lenient back end may mix up.
const ODD_PATHS: &[(&str, &str)] = &[
    ("GET", "/orders/{id}"),
    ("GET", "/orders/admin"),
    ("GET", "/open/{n}"),
    ("GET", "/open/closed"),
    ("GET", "/files/{name}"),
    ("GET", "/files/{name}/secret"),
    ("GET", "/r/{x}"),
    ("GET", "/r/report"),
    ("GET", "/users/{ids}"),
    ("GET", "/stra%C3%9Fe/{n}"),
    ("GET", "/{a}/{b}"),
    ("GET", "/Orders(%277%27)"),
    ("DELETE", "/files/{name}/locked"),
    ("GET", "/matrix/{p}"),
    ("GET", "/a%2Fb/{x}"),
    ("GET", "/trail/{x}/"),
    ("GET", "/trail/{x}"),
];

fn odd(change: impl FnOnce(&mut Configuration)) -> Snapshot {
    served(ODD_PATHS, change)
}

/// A version at `/odd` with these operations.
fn served(paths: &[(&str, &str)], change: impl FnOnce(&mut Configuration)) -> Snapshot {
    let mut configuration = configuration(paths);
    change(&mut configuration);
    let place = (7, "/odd", "1.0");
    let mut version = version_of(place, (true, State::Published), &configuration);
    let others = vec!["0.9".to_owned()];
    Arc::get_mut(&mut version).unwrap().served.other_versions = others;
    let mut contexts = Contexts::default();
    contexts.insert(&version);
    Snapshot {
        contexts: Arc::new(contexts),
        ..Snapshot::default()
    }
}

/// The path as sent, and the template that it leads to with the path sent upstream, or a refusal's
/// code.
type Row = (
    &'static str,
    Result<(&'static str, &'static str), &'static str>,
);

#[track_caller]
fn assert_rows(snapshot: &Snapshot, rows: &[Row]) {
    for (sent, wanted) in rows {
        for prefix in ["/odd", "/odd/1.0", "/%6fdd/%31.0"] {
            let found = lead_in(snapshot, &format!("GET {prefix}{sent}?q=%61;b"));
            let found = found.map_err(|(code, _)| code);
            let wanted = wanted.map(|(path, up)| {
                found_in_odd(
                    path,
                    &format!("{}?q=%61;b", if up.is_empty() { sent } else { up }),
                )
            });
            assert_eq!(found, wanted, "{prefix}{sent}");
        }
    }
}

fn found_in_odd(path: &str, up: &str) -> (i64, OperationId, String) {
    found(7, Method::Get, path, up)
}

const AMBIGUOUS: Result<(&str, &str), &str> = Err("route.ambiguous");

#[test]
fn equivalent_encodings_lead_to_one_operation() {
    let rows: &[Row] = &[
        ("/orders/%61dmin", Ok(("/orders/admin", "/orders/admin"))),
        ("/orders/adm%69n", Ok(("/orders/admin", "/orders/admin"))),
        ("/r/%72eport", Ok(("/r/report", "/r/report"))),
        ("/users/a%2Cb,c", Ok(("/users/{ids}", ""))),
        ("/users/a%2Bb", Ok(("/users/{ids}", ""))),
        ("/users/%7ea%2cb", Ok(("/users/{ids}", "/users/~a%2cb"))),
        ("/users/a%20b", Ok(("/users/{ids}", ""))),
        ("/stra%C3%9Fe/5", Ok(("/stra%C3%9Fe/{n}", ""))),
        ("/stra%c3%9fe/5", Ok(("/stra%C3%9Fe/{n}", ""))),
        ("/stra%C3%9Fe/%C3%9F", Ok(("/stra%C3%9Fe/{n}", ""))),
        (
            "/Orders%28%277%27%29",
            Ok(("/Orders(%277%27)", "/Orders('7')")),
        ),
        ("/Orders('7')", Ok(("/Orders(%277%27)", ""))),
        ("/trail/x/", Ok(("/trail/{x}/", ""))),
    ];
    assert_rows(&odd(|_| {}), rows);
}

#[test]
fn a_path_in_which_a_back_end_may_find_another_operation_is_refused() {
    let rows: &[Row] = &[
        ("/orders/%2561dmin", AMBIGUOUS),
        ("/orders/%252561dmin", AMBIGUOUS),
        ("/orders/%25252561dmin", AMBIGUOUS),
        ("/orders/%2561bc", Ok(("/orders/{id}", ""))),
        ("/orders/100%25", Ok(("/orders/{id}", ""))),
        ("/files/a%2fsecret", AMBIGUOUS),
        ("/files/a%2Fsecret", AMBIGUOUS),
        ("/files/a%252Fsecret", AMBIGUOUS),
        ("/files/a%2Flocked", AMBIGUOUS),
        ("/files/a%2Fb", Ok(("/files/{name}", ""))),
        ("/orders/admin;v=1", AMBIGUOUS),
        ("/orders/admin;", AMBIGUOUS),
        ("/orders/admin%3Bv", AMBIGUOUS),
        ("/orders/admin%253Bv", AMBIGUOUS),
        ("/orders/%2561dmin%3B%2e", AMBIGUOUS),
        ("/orders/7;v=1", Ok(("/orders/{id}", ""))),
        ("/orders/admin%2F", AMBIGUOUS),
        ("/orders/admin%5C", AMBIGUOUS),
        ("/orders/admin%2F%2F", AMBIGUOUS),
        ("/files/a%5csecret", AMBIGUOUS),
        ("/files/a%5c%2fsecret", AMBIGUOUS),
        ("/files/x;y%5Csecret", AMBIGUOUS),
        ("/files/;x%2Fsecret", AMBIGUOUS),
        ("/files/;x%2F", Ok(("/files/{name}", ""))),
        ("/;x/orders%2Fadmin", AMBIGUOUS),
        ("/open/%252e%252e%252forders%252fadmin", AMBIGUOUS),
        ("/open/%252e%252e", AMBIGUOUS),
        ("/open/a%2500", AMBIGUOUS),
        ("/trail/x%2F", AMBIGUOUS),
        ("/orders/%zz", Err("listener.bad_request")),
        ("/nothing/here/at%2Fall", Err("route.no_operation")),
        ("/matrix/;a=1;b=2", Ok(("/matrix/{p}", ""))),
        ("/a%2Fb/1", Ok(("/a%2Fb/{x}", ""))),
    ];
    assert_rows(&odd(|_| {}), rows);
}

#[test]
fn an_operation_with_another_method_is_another_operation() {
    let paths = &[("GET", "/orders/admin"), ("DELETE", "/orders/{id}")];
    let place = (7, "/odd", "1.0");
    let mut contexts = Contexts::default();
    let state = (true, State::Published);
    contexts.insert(&version_of(place, state, &configuration(paths)));
    let snapshot = Snapshot {
        contexts: Arc::new(contexts),
        ..Snapshot::default()
    };
    let status = |line: &str| lead_in(&snapshot, line).err();
    let ambiguous = Some(("route.ambiguous", 400));
    for path in ["/odd/orders/admin;v=1", "/odd/orders/admin%2F"] {
        assert_eq!(status(&format!("DELETE {path}")), ambiguous, "{path}");
    }
    assert_eq!(status("DELETE /odd/orders/7;v=1"), None);
    let no_method = Some(("route.no_operation", 405));
    assert_eq!(status("HEAD /odd/orders/%61dmin"), no_method);
    // Same as the path itself, which only differs in its spelling.
    for path in ["/odd/orders/admin", "/odd/orders/%61dmin"] {
        assert_eq!(status(&format!("DELETE {path}")), None, "{path}");
    }
}

#[test]
fn a_version_configures_how_its_back_end_reads_slashes_and_semicolons() {
    let refusing = odd(|it| it.encoded_slash = Some(EncodedSlash::Refuse));
    let rows: &[Row] = &[
        ("/files/a%2Fb", AMBIGUOUS),
        ("/files/a%2fsecret", AMBIGUOUS),
        ("/files/a%252Fb", Ok(("/files/{name}", ""))),
        // As the publisher wrote it in the template.
        ("/a%2Fb/1", Ok(("/a%2Fb/{x}", ""))),
        ("/a%2Fb/1%2F2", AMBIGUOUS),
    ];
    assert_rows(&refusing, rows);
    let data = odd(|it| it.encoded_slash = Some(EncodedSlash::Data));
    let rows: &[Row] = &[
        ("/files/a%2fsecret", Ok(("/files/{name}", ""))),
        ("/files/a%252Fsecret", Ok(("/files/{name}", ""))),
        ("/files/a%5Csecret", AMBIGUOUS),
        ("/orders/%2561dmin", AMBIGUOUS),
        ("/orders/a%2500", AMBIGUOUS),
        ("/a%2Fb/1", Ok(("/a%2Fb/{x}", ""))),
    ];
    assert_rows(&data, rows);
    let matrix = odd(|it| it.semicolon = Semicolon::Pass);
    let rows: &[Row] = &[
        ("/orders/admin;v=1", Ok(("/orders/{id}", ""))),
        ("/orders/admin%3Bv=1", Ok(("/orders/{id}", ""))),
        ("/files/a;b%2Fsecret", AMBIGUOUS),
        ("/open/..;x", Err("listener.bad_request")),
    ];
    assert_rows(&matrix, rows);
}

#[test]
fn a_back_end_that_ignores_case_finds_the_authorized_operation() {
    let rows: &[Row] = &[
        ("/Orders/ADMIN", Ok(("/orders/admin", ""))),
        ("/orders/%41dmin", Ok(("/orders/admin", "/orders/Admin"))),
        ("/orders/7", Ok(("/orders/{id}", ""))),
        ("/STRA%C3%9FE/5", Ok(("/stra%C3%9Fe/{n}", ""))),
        // The upper case of the long s is S.
        ("/u%C5%BFers/x", AMBIGUOUS),
    ];
    assert_rows(&odd(|it| it.paths = Paths::IgnoreCase), rows);
    let exact: &[Row] = &[
        ("/orders/ADMIN", Ok(("/orders/{id}", ""))),
        ("/u%C5%BFers/x", Ok(("/{a}/{b}", ""))),
    ];
    assert_rows(&odd(|_| {}), exact);
}

#[test]
fn a_path_of_many_readings_is_refused_before_they_are_all_compared() {
    let many = "/orders/a;b%3Bc%5C%253Bd%255C%25253Be%25255C;f".to_owned();
    let found = lead_in(&odd(|_| {}), &format!("GET /odd{many}"));
    assert_eq!(found, Err(("route.ambiguous", 400)));
}

#[test]
fn of_equal_stored_templates_the_plain_one_is_served_else_the_stricter() {
    let serve = |operations: &str| {
        let configuration = format!(r#"{{"operations":[{operations}]}}"#);
        let configuration = serde_json::from_str(&configuration).unwrap();
        let place = (7, "/odd", "1.0");
        let mut contexts = Contexts::default();
        contexts.insert(&version_of(place, (true, State::Published), &configuration));
        Snapshot {
            contexts: Arc::new(contexts),
            ..Snapshot::default()
        }
    };
    let snapshot = serve(
        r#"{"method":"GET","path":"/a%2Db","anonymous":true},{"method":"GET","path":"/a-b"},
           {"method":"GET","path":"/x%2c"},{"method":"GET","path":"/%78%2C","anonymous":true}"#,
    );
    let rows = [
        ("/a-b", "/a-b"),
        ("/a%2Db", "/a-b"),
        ("/x,", "/x%2c"),
        ("/x%2C", "/x%2c"),
    ];
    for (sent, path) in rows {
        let found = lead_in(&snapshot, &format!("GET /odd{sent}")).unwrap();
        let template = PathTemplate::parse(path).unwrap();
        let id = operation_id(VersionId::from_raw(7), Method::Get, &template);
        assert_eq!(found.1, id, "{sent}");
    }
}

#[test]
fn a_field_that_names_another_method_is_refused_unless_the_back_end_ignores_it() {
    let names = [
        "X-HTTP-Method-Override",
        "x-http-method",
        "X-Method-Override",
        "X_HTTP_Method_Override",
        "x.http_method",
    ];
    let passing = odd(|it| it.method_override = MethodOverride::Pass);
    for name in names {
        let sent = |value: &str| format!("GET /odd/orders/7\n{name}: {value}\r\n");
        let found = lead_in(&odd(|_| {}), &sent("DELETE"));
        assert_eq!(found, Err(("route.ambiguous", 400)), "{name}");
        for same in ["get", "GET", ""] {
            assert!(lead_in(&odd(|_| {}), &sent(same)).is_ok(), "{name}: {same}");
        }
        assert!(lead_in(&passing, &sent("DELETE")).is_ok(), "{name}");
    }
}
