//! Memory and time that imports can take.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tollgate_testkit::{Control, http};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::house::builder;

/// Imports at a time.
const IMPORTS: usize = 24;
/// Maximum memory of all of them: those that are parsed, with what the allocator keeps.
const GROWN_KIB_MAX: u64 = 256 << 10;
/// Maximum time for a health check on a busy machine.
const HEALTH: Duration = Duration::from_secs(3);

/// Returns a Swagger document that repeats each of its media types at each of its operations.
fn swagger() -> String {
    let types: Vec<_> = (0..2_100).map(|number| format!("\"a/{number}\"")).collect();
    let mut paths = String::new();
    for number in 0..1_000 {
        let body = r#"{"in":"body","name":"b","schema":{}}"#;
        write!(
            paths,
            r#""/{number}":{{"post":{{"parameters":[{body}]}}}},"#
        )
        .unwrap();
    }
    let types = types.join(",");
    format!(
        r#"{{"swagger":"2.0","info":{{"title":"T","version":"1"}},"consumes":[{types}],
        "paths":{{{paths}"/":{{}}}}}}"#
    )
}

/// Returns an archive with a contract of zeros.
fn zeros(bytes: usize) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    zip.start_file("a.wsdl", options).unwrap();
    for _ in 0..bytes >> 20 {
        zip.write_all(&[0; 1 << 20]).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn imports_at_once_stay_within_their_memory_and_health_is_answered() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let body = json!({"name": "import"});
    let token = admin.done("POST", "/api/v1/access-tokens", Some(&body));
    let token = token.await.unwrap()["token"].as_str().unwrap().to_owned();
    let before = tollgate.memory_kib().unwrap();
    let (document, soap) = (swagger().into_bytes(), "/api/v1/apis/import/wsdl");
    for (path, media_type, body, count, code) in [
        (
            "/api/v1/apis/import",
            "application/json",
            document,
            IMPORTS,
            "openapi.budget",
        ),
        (
            soap,
            "application/zip",
            zeros(1 << 30),
            1,
            "archive.too_large",
        ),
        (soap, "application/zip", zeros(8 << 20), 2, "wsdl.encoding"),
    ] {
        let authorization = format!("Bearer {token}");
        let fields = [
            ("Authorization", &*authorization),
            ("Content-Type", media_type),
        ];
        let target = format!("{path}?dry_run=true");
        let request = http::request("POST", &target, &fields, &body);
        let mut imports = JoinSet::new();
        for _ in 0..count {
            let (address, request) = (tollgate.control, request.clone());
            imports.spawn(async move { http::call(address, &request).await });
        }
        let mut refused = 0;
        while refused < count {
            let begun = Instant::now();
            let health = http::request("GET", "/healthz", &[], b"");
            let health = http::call(tollgate.control, &health).await.unwrap();
            assert_eq!(health.status, 200);
            assert!(begun.elapsed() < HEALTH, "{code}: {:?}", begun.elapsed());
            let grown = tollgate.memory_kib().unwrap().saturating_sub(before);
            assert!(grown < GROWN_KIB_MAX, "{code}: {grown} KiB");
            tokio::time::sleep(Duration::from_millis(20)).await;
            while let Some(import) = imports.try_join_next() {
                let answer = import.unwrap().unwrap();
                assert_eq!(answer.json()["code"], code, "{}", answer.text());
                refused += 1;
            }
        }
    }
}
