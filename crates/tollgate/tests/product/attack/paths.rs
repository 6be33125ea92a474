//! An encoded path bypassed an operation: the gateway checked `/orders/{id}` where the back end
//! served `/orders/admin`. The back ends here parse paths leniently; they must serve the operation
//! that the gateway has checked.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tollgate_testkit::{Answer, http};

use crate::security::{Secured, secured};

/// Returns the operation that it finds in a path, decoded by wsgiref; with an argument, cut at
/// semicolons like a Servlet container, without empty segments.
const BACK_END: &str = r#"
import re, sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

OPERATIONS = ["/orders/admin", "/orders/{}", "/open/closed", "/open/{}", "/files/{}/secret",
              "/files/{}", "/r/report", "/r/{}", "/doc/{}.key", "/doc/{}", "/vault/Of({})",
              "/vault/{}"]
CUTS = len(sys.argv) > 1

class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass

def serve(environ, start_response):
    path = environ["PATH_INFO"]
    if CUTS:
        path = "/".join(part.split(";")[0] for part in path.replace("\\", "/").split("/"))
        path = re.sub("/+", "/", path).rstrip("/")
    pattern = lambda it: re.escape(it).replace(r"\{\}", "[^/]+")
    found = [it for it in OPERATIONS if re.fullmatch(pattern(it), path)]
    start_response("200 OK", [("content-type", "text/plain")])
    return [(found or ["none"])[0].encode()]

server = make_server("127.0.0.1", 0, serve, handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
"#;

struct BackEnd {
    process: Child,
    url: String,
}

impl BackEnd {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command.args(["-c", BACK_END]).args(arguments);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut port).unwrap();
        Self {
            process,
            url: format!("http://127.0.0.1:{}", port.trim()),
        }
    }
}

impl Drop for BackEnd {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn operations() -> Value {
    let get = |path: &str, scope: &str| json!({ "method": "GET", "path": path, "scopes": [scope] });
    let anonymous = |path: &str| json!({ "method": "GET", "path": path, "anonymous": true });
    let mut report = get("/r/report", "read");
    report["limits"] = json!([{ "per": "operation", "amount": 2, "window": "day" }]);
    json!([
        get("/orders/{id}", "read"),
        get("/orders/admin", "admin"),
        anonymous("/open/{n}"),
        get("/open/closed", "admin"),
        anonymous("/files/{name}"),
        get("/files/{name}/secret", "admin"),
        get("/r/{x}", "read"),
        report,
        anonymous("/doc/{name}"),
        get("/doc/{name}.key", "admin"),
        anonymous("/vault/{name}"),
        get("/vault/Of({key})", "admin"),
    ])
}

/// Spellings of a path that some parser reads as `/orders/admin`, `/open/closed`,
/// `/files/a/secret`, `/doc/a.key` or `/vault/Of(7)`.
fn spellings() -> Vec<String> {
    let mut all = Vec::new();
    for (first, last) in [
        ("orders", "admin"),
        ("open", "closed"),
        ("files", "a/secret"),
        ("doc", "a.key"),
        ("vault", "Of(7)"),
    ] {
        let plain = format!("/{first}/{last}");
        let encoded: String = last.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let partly = format!("%{:02X}{}", last.as_bytes()[0], &last[1..]);
        for text in [last.to_owned(), encoded, partly, last.replace('/', "%5C")] {
            let mut text = text.replace('/', "%2f");
            for _ in 0..4 {
                for end in [
                    "", ";", ";v=1", "%3B", "%3bv", "%2F", "%5c", "%253B", "%2F%2f", ";%2F",
                ] {
                    all.push(format!("/{first}/{text}{end}"));
                }
                all.push(format!("/{first};x/{text}"));
                text = text.replace('%', "%25");
            }
        }
        all.push(plain);
    }
    all
}

async fn call(it: &Secured, method: &str, path: &str, token: Option<&str>) -> Answer {
    let authorization = token.map(|token| format!("Bearer {token}"));
    let fields: Vec<_> = authorization
        .iter()
        .map(|value| ("Authorization", value.as_str()))
        .collect();
    let request = http::request(method, path, &fields, b"");
    http::call(it.house.tollgate.gateway, &request)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_lenient_back_end_serves_the_operation_that_was_checked() {
    let it = Secured::new(&secured()).await;
    let scopes = json!({ "read": "Read", "admin": "Administer" });
    let body = json!({ "name": "reader", "scopes": ["read"] });
    let application = &it.house.consumer.application;
    let mut draft = json!({
        "operations": operations(),
        "security": { "oauth2": {}, "scopes": scopes },
        "encoded_slash": "pass",
    });
    let decodes = BackEnd::start(&[]);
    let cuts = BackEnd::start(&["cuts"]);
    draft["upstream"] = json!({ "url": decodes.url });
    it.house.redeploy(draft).await;
    let client = it.house.admin.client(application, &body).await.unwrap();
    let token = it.house.admin.token(&client, "").await.unwrap();

    for back_end in [&decodes, &cuts] {
        it.house
            .redeploy(json!({ "upstream": { "url": back_end.url } }))
            .await;
        for prefix in ["/pets/1.0", "/pets", "/p%65ts/%31.0"] {
            for spelling in spellings() {
                let path = format!("{prefix}{spelling}");
                let served = call(&it, "GET", &path, None).await.text();
                let open = ["/open/{}", "/files/{}", "/doc/{}", "/vault/{}", "none"];
                let is_open = open.contains(&&*served);
                assert!(is_open || served.contains("\"code\""), "{path}: {served}");
                let served = call(&it, "GET", &path, Some(&token)).await.text();
                let secret = [
                    "/orders/admin",
                    "/open/closed",
                    "/files/{}/secret",
                    "/doc/{}.key",
                    "/vault/Of({})",
                ];
                assert!(!secret.contains(&&*served), "{path}: {served}");
            }
        }
    }
    let outcome = async |method: &str, path: &str| {
        let answer = call(&it, method, path, Some(&token)).await;
        (answer.status, answer.code())
    };
    let refused = |status: u16, code: &str| (status, code.to_owned());
    let rows = [
        ("GET", "/orders/%61dmin", refused(403, "authorize.scope")),
        ("GET", "/orders/%2561dmin", refused(400, "route.ambiguous")),
        ("GET", "/doc/a%2Ekey", refused(403, "authorize.scope")),
        ("GET", "/vault/Of%287%29", refused(403, "authorize.scope")),
        ("GET", "/vault/Of%25287)", refused(400, "route.ambiguous")),
        ("GET", "/files/a%2fsecret", refused(400, "route.ambiguous")),
        ("GET", "/orders/admin;v=1", refused(400, "route.ambiguous")),
        ("GET", "/orders/a%zz", refused(400, "listener.bad_request")),
        (
            "GET",
            "/orders\\admin",
            refused(400, "listener.bad_request"),
        ),
        ("HEAD", "/orders/%61dmin", refused(405, "")),
        (
            "DELETE",
            "/orders/%61dmin",
            refused(405, "route.no_operation"),
        ),
    ];
    for (method, path, expected) in rows {
        let found = outcome(method, &format!("/pets/1.0{path}")).await;
        assert_eq!(found.0, expected.0, "{method} {path}");
        assert!(method == "HEAD" || found == expected, "{path}: {found:?}");
    }
    // One limit for every spelling of the path.
    for (path, status) in [
        ("/r/%72eport", 200),
        ("/r/report", 200),
        ("/r/r%65port", 429),
    ] {
        assert_eq!(
            outcome("GET", &format!("/pets/1.0{path}")).await.0,
            status,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_rest_leads_to_no_operation_with_scopes() {
    let it = Secured::new(&secured()).await;
    let back_end = BackEnd::start(&["cuts"]);
    let draft = json!({
        "operations": [
            { "method": "GET", "path": "/orders/admin", "scopes": ["admin"] },
            { "method": "GET", "path": "/files/{name}/secret", "scopes": ["admin"] },
            { "method": "GET", "path": "/{all*}", "anonymous": true },
        ],
        "security": { "oauth2": {}, "scopes": { "read": "Read", "admin": "Administer" } },
        "upstream": { "url": back_end.url },
        "encoded_slash": "pass",
    });
    it.house.redeploy(draft).await;
    let body = json!({ "name": "reader", "scopes": ["read"] });
    let application = &it.house.consumer.application;
    let client = it.house.admin.client(application, &body).await.unwrap();
    let token = it.house.admin.token(&client, "").await.unwrap();
    let slashed = [
        "//orders/admin",
        "/orders//admin",
        "/orders/admin/",
        "//files/a//secret//",
    ];
    let spelled = spellings().into_iter().chain(slashed.map(str::to_owned));
    for spelling in spelled {
        for path in [
            spelling.clone(),
            format!("/{spelling}"),
            format!("{spelling}/"),
        ] {
            let path = format!("/pets/1.0{path}");
            let served = call(&it, "GET", &path, Some(&token)).await.text();
            let secret = ["/orders/admin", "/files/{}/secret"];
            assert!(!secret.contains(&&*served), "{path}: {served}");
        }
    }
    for (path, status) in [("/orders/7", 200), ("/a//b/", 200), ("/orders/admin/", 400)] {
        let answer = call(&it, "GET", &format!("/pets/1.0{path}"), Some(&token)).await;
        assert_eq!(answer.status, status, "{path}");
    }
    // In another case, unless the version ignores case.
    let draft = format!("/api/v1/versions/{}/draft", it.house.api.version);
    let noted = it.house.admin.done("GET", &draft, None).await.unwrap();
    assert_eq!(noted["notes"][0]["code"], "operation.rest", "{noted}");
    it.house.redeploy(json!({ "paths": "ignore_case" })).await;
    let refused = call(&it, "GET", "/pets/1.0/ORDERS/admin", Some(&token)).await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    let noted = it.house.admin.done("GET", &draft, None).await.unwrap();
    assert_eq!(noted.get("notes"), None);
}

#[tokio::test]
async fn a_new_version_refuses_encoded_slashes_by_default() {
    let it = Secured::new(&secured()).await;
    it.house
        .redeploy(
            json!({ "operations": operations(), "security": { "oauth2": {}, "scopes": {
            "read": "Read", "admin": "Administer",
        } } }),
        )
        .await;
    let sent = "/pets/1.0/files/a%2Fb";
    let refused = call(&it, "GET", sent, None).await;
    assert_eq!(refused.code(), "route.ambiguous");
    // Members omitted from a whole draft are unchanged.
    let draft = format!("/api/v1/versions/{}/draft", it.house.api.version);
    let mut whole = it.house.admin.done("GET", &draft, None).await.unwrap();
    assert_eq!(whole["encoded_slash"], "refuse");
    whole.as_object_mut().unwrap().remove("encoded_slash");
    let saved = it.house.admin.replace(&draft, &whole).await.unwrap();
    assert_eq!(saved["encoded_slash"], "refuse");
    it.house.redeploy(json!({ "encoded_slash": "data" })).await;
    for path in [sent, "/pets/1.0/files/a%2Fsecret"] {
        assert_eq!(call(&it, "GET", path, None).await.status, 200, "{path}");
        let received = it.house.upstream.received().concat();
        let up = format!("GET {} HTTP/1.1\r\n", &path["/pets/1.0".len()..]);
        assert!(String::from_utf8_lossy(&received).contains(&up), "{path}");
    }
    let repeated = json!({ "operations": [
        { "method": "GET", "path": "/a-b" }, { "method": "GET", "path": "/a%2Db" },
        { "method": "GET", "path": "/x%zz" },
    ] });
    let answer = it.house.admin.send("PATCH", &draft, Some(&repeated)).await;
    let answer = answer.unwrap();
    assert_eq!(answer.status, 422, "{}", answer.text());
    let faults = answer.text();
    for code in ["operation.repeated", "operation.path"] {
        assert!(faults.contains(code), "{faults}");
    }
}
