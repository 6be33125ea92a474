//! Documents imported by URL: only from a server that the operator allows.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use sqlx::AssertSqlSafe;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tollgate_testkit::{Answer, Builder, Control, Tollgate};

use crate::attack::old_data::database;
use crate::house::builder;
use crate::soap::{COMMON, ORDERS, WSDL};

const OPENAPI: &str = r"
openapi: 3.1.0
info: { title: Pets, version: '1.0' }
servers: [{ url: 'http://pets.internal:8001/v1' }]
webhooks: { sold: {} }
paths:
  /pets:
    get: { responses: { '200': { description: all } } }
";

/// A contract that imports its only binding.
const HOLE: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:b="urn:b">
<import namespace="urn:b" location="binding.wsdl"/>
<service name="S"><port name="P" binding="b:B"/></service></definitions>"#;

/// The import endpoints, with the beginning of the query.
const IMPORTS: [(&str, &str); 2] = [
    ("/api/v1/apis/import?context=%2Fpets", "/openapi.yaml"),
    ("/api/v1/apis/import/wsdl?context=%2Forders", "/orders.wsdl"),
];

/// A web server that records the requested paths.
struct Site {
    address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
}

/// The response for a path; `None` if it accepts the request and never responds.
type Page = Option<Vec<u8>>;

impl Site {
    async fn start(host: Ipv4Addr, pages: &[(&str, Page)]) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let pages = pages
            .iter()
            .map(|(path, page)| ((*path).to_owned(), page.clone()));
        let (pages, requested) = (Arc::new(pages.collect()), Arc::<Mutex<_>>::default());
        let seen = Arc::clone(&requested);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, Arc::clone(&pages), Arc::clone(&seen)));
            }
        });
        Self { address, requested }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn requested(&self) -> Vec<String> {
        std::mem::take(&mut self.requested.lock().unwrap())
    }
}

async fn serve(
    mut stream: TcpStream,
    pages: Arc<HashMap<String, Page>>,
    requested: Arc<Mutex<Vec<String>>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap();
    requested.lock().unwrap().push(path.to_owned());
    match pages.get(path) {
        Some(Some(answer)) => drop(stream.write_all(answer).await),
        Some(None) => tokio::time::sleep(Duration::from_secs(600)).await,
        None => drop(stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\n").await),
    }
}

fn ok(body: &str) -> Page {
    Some(format!("HTTP/1.1 200 OK\r\n\r\n{body}").into_bytes())
}

fn moved(location: &str) -> Page {
    Some(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n").into_bytes())
}

/// A process that may fetch from one site but not from another.
struct Given {
    tollgate: Tollgate,
    admin: Control,
    site: Site,
    private: Site,
}

impl Given {
    async fn new() -> Self {
        Self::with(builder()).await
    }

    async fn with(builder: Builder) -> Self {
        let secret = [("/openapi.yaml", ok(OPENAPI))];
        let private = Site::start(Ipv4Addr::new(127, 0, 0, 2), &secret).await;
        let elsewhere = private.url("/openapi.yaml");
        let reaching = ORDERS.replace("../common.xsd", &private.url("/common.xsd"));
        // Larger than 8 MiB for a document, than 16 MiB for a contract.
        let large = format!("{OPENAPI}#{}\n", "x".repeat(17 << 20));
        let relative = OPENAPI.replace("http://pets.internal:8001", "");
        let pages = [
            ("/openapi.yaml", ok(OPENAPI)),
            ("/orders.wsdl", ok(WSDL)),
            ("/sub/orders.xsd", ok(ORDERS)),
            ("/common.xsd", ok(COMMON)),
            ("/relative.yaml", ok(&relative)),
            ("/moved", moved("openapi.yaml")),
            ("/reaching/orders.wsdl", ok(WSDL)),
            ("/reaching/sub/orders.xsd", ok(&reaching)),
            ("/login/orders.wsdl", ok(WSDL)),
            (
                "/login/sub/orders.xsd",
                ok("<html><body>Sign in</body></html>"),
            ),
            ("/hole/orders.wsdl", ok(HOLE)),
            ("/elsewhere", moved(&elsewhere)),
            ("/twice", moved("/elsewhere")),
            ("/file", moved("file:///etc/passwd")),
            ("/round", moved("/round")),
            ("/large", ok(&large)),
            ("/slow", None),
        ];
        let site = Site::start(Ipv4Addr::LOCALHOST, &pages).await;
        let tollgate = builder.set("control-fetch-allowed", "127.0.0.1").start();
        let tollgate = tollgate.unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        Self {
            tollgate,
            admin,
            site,
            private,
        }
    }

    async fn import(&self, path: &str, url: &str) -> Answer {
        let body = json!({ "url": url });
        self.admin.send("POST", path, Some(&body)).await.unwrap()
    }

    /// Returns the row counts of the tables that imports write.
    async fn stored(&self) -> [i64; 4] {
        let path = self.tollgate.builder().data().join("tollgate.db");
        let mut store = database(&path).await;
        let mut counts = [0; 4];
        let tables = ["apis", "versions", "document_bytes", "contract_documents"];
        for (count, table) in counts.iter_mut().zip(tables) {
            let sql = AssertSqlSafe(format!("select count(*) from {table}"));
            *count = sqlx::query_scalar(sql).fetch_one(&mut store).await.unwrap();
        }
        counts
    }
}

#[tokio::test]
async fn a_fetched_document_is_previewed_without_a_trace_and_then_imported() {
    let given = Given::new().await;
    for (import, place) in IMPORTS {
        let before = given.stored().await;
        let path = format!("{import}&dry_run=true");
        let preview = given.import(&path, &given.site.url(place)).await;
        assert_eq!(preview.status, 200, "{}", preview.text());
        let preview = preview.json();
        assert_eq!(preview["api"]["faults"], json!([]), "{preview}");
        assert_eq!(given.stored().await, before, "{import}");
        let fetched = given.site.requested();

        let made = given.import(import, &given.site.url(place)).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.json();
        assert_eq!(given.site.requested(), fetched);
        for same in [
            "proposed_upstream",
            "servers",
            "notes",
            "report",
            "service",
            "port",
        ] {
            assert_eq!(made[same], preview[same], "{import} {same}");
        }
        let operations = preview["operations"].as_array().unwrap().len();
        assert_eq!(made["operations"], operations, "{import}");
        assert_eq!(made["api"]["name"], preview["api"]["name"], "{import}");
        match place {
            "/openapi.yaml" => {
                assert_eq!(fetched, [place]);
                assert_eq!(made["proposed_upstream"], "http://pets.internal:8001/v1");
                let notes = made["notes"].as_array().unwrap();
                let mut codes = notes.iter().map(|note| &note["code"]);
                assert!(codes.any(|code| code == "openapi.webhooks"), "{made}");
            }
            _ => {
                assert_eq!(fetched, [place, "/sub/orders.xsd", "/common.xsd"]);
                let documents = made["report"]["documents"].as_array().unwrap();
                let found = documents
                    .iter()
                    .map(|it| it["uri"].as_str().unwrap().to_owned());
                let expected = fetched.iter().map(|path| given.site.url(path));
                assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            }
        }
    }
    let path = "/api/v1/apis/import?context=%2Fother&name=Other";
    let led = given.import(path, &given.site.url("/moved")).await;
    assert_eq!(led.status, 201, "{}", led.text());

    let path = "/api/v1/apis/import?context=%2Fnear&name=Near&dry_run=true";
    let near = given.import(path, &given.site.url("/relative.yaml")).await;
    let upstream = near.json()["proposed_upstream"].clone();
    assert_eq!(upstream, given.site.url("/v1"), "{}", near.text());
}

#[tokio::test]
async fn a_document_that_is_forbidden_or_unreachable_is_refused_without_a_request() {
    let given = Given::new().await;
    let before = given.stored().await;
    let site = |path: &str| given.site.url(path);
    let refused = "has no address that may be connected to";
    let rows = [
        (given.private.url("/openapi.yaml"), refused),
        (site("/elsewhere"), refused),
        (site("/twice"), refused),
        ("http://169.254.169.254/latest".to_owned(), refused),
        ("http://[::1]:9000/".to_owned(), refused),
        (site("/file"), "redirects to a URL that is not allowed"),
        (site("/round"), "redirects too many times"),
        (site("/large"), "bytes"),
        (site("/none"), "answered with status 404"),
        (
            "file:///etc/passwd".to_owned(),
            "is not an http or https URL",
        ),
    ];
    for (import, _) in IMPORTS {
        for dry_run in [false, true] {
            for (url, reason) in &rows {
                let path = format!("{import}&dry_run={dry_run}");
                let answer = given.import(&path, url).await;
                let problem = answer.json();
                assert_eq!(answer.status, 422, "{import} {url}: {problem}");
                let error = &problem["errors"][0];
                assert_eq!(error["code"], "fetch.failed", "{import} {url}");
                assert_eq!(error["field"], "/url", "{import} {url}");
                let detail = error["detail"].as_str().unwrap();
                assert!(detail.contains(reason), "{import} {url}: {detail}");
            }
        }
    }
    // Nor files that a document refers to: the contract is reported as incomplete.
    let (import, _) = IMPORTS[1];
    let path = format!("{import}&dry_run=true");
    let preview = given.import(&path, &site("/reaching/orders.wsdl")).await;
    let preview = preview.json();
    let notes = preview["report"]["notes"].as_array().unwrap();
    let lacking = notes.iter().find(|note| note["code"] == "wsdl.not_read");
    let lacking = lacking.unwrap_or_else(|| panic!("{preview}"));
    assert_eq!(lacking["document"], given.private.url("/common.xsd"));
    assert!(lacking["detail"].as_str().unwrap().contains(refused));
    assert!(given.private.requested().is_empty());
    assert_eq!(given.stored().await, before);
}

#[tokio::test]
async fn a_referenced_page_that_is_no_part_of_a_contract_is_missing_and_named() {
    let given = Given::new().await;
    let (import, _) = IMPORTS[1];
    let path = format!("{import}&dry_run=true");
    let url = given.site.url("/login/orders.wsdl");
    let preview = given.import(&path, &url).await;
    assert_eq!(preview.status, 200, "{}", preview.text());
    let notes = preview.json()["report"]["notes"].clone();
    let note = |code: &str| {
        let mut notes = notes.as_array().unwrap().iter();
        let note = notes.find(|note| note["code"] == code);
        note.unwrap_or_else(|| panic!("{code}: {notes:?}")).clone()
    };
    let lacking = note("wsdl.not_read");
    assert_eq!(lacking["document"], given.site.url("/login/sub/orders.xsd"));
    let detail = lacking["detail"].as_str().unwrap();
    assert!(detail.ends_with("its root is `html`"), "{detail}");
    note("wsdl.missing");
    note("wsdl.proxy_only");

    let url = given.site.url("/hole/orders.wsdl");
    let refused = given.import(&path, &url).await;
    assert_eq!((refused.status, &*refused.code()), (422, "wsdl.no_port"));
    let missing = given.site.url("/hole/binding.wsdl");
    let text = refused.text();
    let is_named = text.contains(&format!("the document {missing} is missing"));
    let has_reason = text.contains(&format!("; {missing}: "));
    assert!(is_named && has_reason && text.contains("404"), "{text}");
}

#[tokio::test]
async fn a_server_that_does_not_respond_is_dropped_after_the_timeout() {
    let given = Given::with(builder().set("control-fetch-timeout-ms", "3000")).await;
    let url = given.site.url("/slow");
    let [document, contract] = IMPORTS.map(|(import, _)| given.import(import, &url));
    let slow = async { tokio::join!(document, contract) };
    // Imports of uploaded documents do not wait meanwhile.
    let sent = async {
        let path = "/api/v1/apis/import?context=%2Fother&name=Other";
        let sent = given
            .admin
            .send_bytes("POST", path, "application/yaml", OPENAPI.as_bytes());
        sent.await.unwrap()
    };
    let mut slow = std::pin::pin!(slow);
    tokio::select! {
        biased;
        _ = &mut slow => panic!("the document waited behind the slow ones"),
        sent = sent => assert_eq!(sent.status, 201, "{}", sent.text()),
    }
    let (document, contract) = slow.await;
    for refused in [document, contract] {
        assert_eq!((refused.status, &*refused.code()), (422, "fetch.failed"));
        assert!(
            refused.text().contains("took longer than 3 s"),
            "{}",
            refused.text()
        );
    }
    assert_eq!(given.site.requested(), ["/slow"; 2]);
}
