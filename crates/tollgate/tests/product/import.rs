//! Imported documents: how they are called, and how callers see them.

use serde_json::json;
use tollgate_testkit::{Behaviour, Control, Upstream, http};

use crate::house::builder;
use crate::peers::peers;

const SWAGGER: &str = include_str!("../../../openapi/src/swagger/tests/pets.yaml");

#[tokio::test]
async fn a_swagger_document_is_called_and_read_as_openapi_3() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let upstream = Upstream::start(Behaviour::Echo).unwrap();
    let made = admin.import("Pets", "/pets", "1.0", SWAGGER).await;
    let made = made.unwrap();
    let path = |part: &str| format!("/api/v1/versions/{}/{part}", made.version);
    admin
        .upstream(&made.version, &upstream.url())
        .await
        .unwrap();
    admin.attach(&made.version, &["gold"]).await.unwrap();
    admin.lifecycle(&made.version, "published").await.unwrap();
    let consumer = admin.consumer("shop", &made.version, "gold").await.unwrap();
    // A parameter inside a segment, with the literal percent-encoded differently.
    for (target, up) in [
        ("/pets/1.0/pets/7.png", "/pets/7.png"),
        ("/pets/1.0/pets/7%2Epng", "/pets/7.png"),
    ] {
        let request = http::request("GET", target, &[("apikey", &consumer.key)], b"");
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.field("x-echo"), Some(&*format!("GET {up} HTTP/1.1")));
    }
    let kept = admin.send("GET", &path("document"), None).await.unwrap();
    assert_eq!(kept.text(), SWAGGER);
    let shown = format!("/api/v1/catalogue/{}/document", made.version);
    let shown = admin.done("GET", &shown, None).await.unwrap();
    assert_eq!(shown["openapi"], "3.0.3");
    assert!(shown["paths"]["/pets/{id}.png"]["get"].is_object());
    let Some(peers) = peers() else {
        eprintln!("skipped: openapi-spec-validator is not installed (make deps)");
        return;
    };
    assert_eq!(peers.document_faults(&shown).unwrap(), json!([]));
}
