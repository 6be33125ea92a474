//! Calls of try-it: they show what the cache did, and may need a fresh response. Nobody else can.

use serde_json::{Value, json};
use tollgate_testkit::Answer;

use super::status;
use crate::house::{DOCUMENT, House};
use crate::security::secured;

/// The field of the proof.
const FIELD: &str = "x-tollgate-try-it";

impl House {
    /// Returns the proof that calls of an application are trials of a version, if there is one.
    async fn trial(&self, version: &str, application: &str) -> Option<String> {
        let path = format!("/api/v1/versions/{version}/try-it");
        let trial = json!({ "application": application });
        let made = self.admin.done("POST", &path, Some(&trial)).await.unwrap();
        made["trial"].as_str().map(str::to_owned)
    }

    /// Returns the proof for the consumer's calls.
    async fn own_trial(&self) -> Option<String> {
        let application = &self.consumer.application;
        self.trial(&self.api.version, application).await
    }

    /// Returns what the upstream received since the last call of this function.
    fn sent(&self) -> String {
        let sent = String::from_utf8(self.upstream.received().concat()).unwrap();
        self.upstream.forget();
        sent
    }
}

fn is_hit(answer: &Answer) -> bool {
    status(answer).starts_with("tollgate; hit; ttl=") && answer.field("age").is_some()
}

#[tokio::test]
async fn try_it_shows_what_the_cache_did_and_can_ask_for_a_fresh_response() {
    let house = House::with(&secured(), json!([])).await;
    let operations = ["GET", "HEAD"].map(|it| json!({ "method": it, "path": "/pets" }));
    house.redeploy(json!({ "operations": operations })).await;
    for obeys in [false, true] {
        house
            .cache(json!({ "ttl_s": 600, "obey_request": obeys }))
            .await;
        let proof = house.own_trial().await.unwrap();
        let tried = (FIELD, proof.as_str());
        house.answers("", "");
        let head = house.ask(("HEAD", "/pets"), &[tried], b"").await;
        assert_eq!(status(&head), "tollgate; fwd=miss");
        house.answers("ETag: \"v1\"\r\n", "stored");
        let miss = house.get("/pets", &[tried]).await;
        assert_eq!(status(&miss), "tollgate; fwd=miss; stored");
        // Browsers add this field to calls of a page that does not want their own cache.
        let hit = house
            .get("/pets", &[tried, ("cache-control", "no-cache")])
            .await;
        assert!(is_hit(&hit), "{}", status(&hit));
        assert!(!house.sent().contains(FIELD));

        house.answers("ETag: \"v2\"\r\n", "fresh");
        let forced = format!("{proof};fresh");
        let fresh = house.get("/pets", &[(FIELD, &forced)]).await;
        assert_eq!(status(&fresh), "tollgate; fwd=request; stored");
        assert_eq!(fresh.text(), "fresh");
        let sent = house.sent();
        assert!(sent.starts_with("GET /pets HTTP/1.1\r\n"), "{sent}");
        assert!(!sent.contains("if-none-match"), "{sent}");
        // It is stored for others, which do not see what the cache did.
        let other = house.get("/pets", &[]).await;
        assert_eq!((status(&other), &*other.text()), ("none", "fresh"));
        assert!(other.field("age").is_some());

        let by = house.get("/pets", &[tried, ("cookie", "a=b")]).await;
        assert_eq!(status(&by), "tollgate; fwd=bypass");
        let sent = house.sent();
        assert!(sent.contains("a=b") && !sent.contains(FIELD), "{sent}");
    }
}

#[tokio::test]
async fn nobody_forces_a_fresh_response_without_a_proof_for_the_application_and_the_version() {
    let house = House::with(&secured(), json!([])).await;
    let cache = json!({ "policies": { "cache": { "ttl_s": 600, "share": "all" } } });
    house.redeploy(cache.clone()).await;
    let admin = &house.admin;
    let cats = admin.import("Cats", "/cats", "1.0", DOCUMENT).await;
    let cats = cats.unwrap().version;
    admin.upstream(&cats, &house.upstream.url()).await.unwrap();
    let draft = format!("/api/v1/versions/{cats}/draft");
    admin.done("PATCH", &draft, Some(&cache)).await.unwrap();
    let revision = admin.revision(&cats).await.unwrap();
    admin.deploy(&cats, revision).await.unwrap();
    let other = admin.consumer("other", &house.api.version, "tested").await;
    let other = other.unwrap().application;

    let proof = house.own_trial().await.unwrap();
    let of_other = house.trial(&house.api.version, &other).await.unwrap();
    let of_cats = house.trial(&cats, &house.consumer.application).await;
    let (signed, signature) = proof.rsplit_once('.').unwrap();
    let first = if signature.starts_with('A') { "B" } else { "A" };
    let forged = format!("{signed}.{first}{}", &signature[1..]);
    house.get("/pets", &[]).await;
    house.upstream.forget();
    let rows = [
        ("none", String::new()),
        ("only the parameter", ";fresh".to_owned()),
        ("no JWT", "1;fresh".to_owned()),
        ("a forged one", format!("{forged};fresh")),
        ("of another application", format!("{of_other};fresh")),
        ("of another version", format!("{};fresh", of_cats.unwrap())),
        ("another parameter", format!("{proof};stale")),
        ("two parameters", format!("{proof};fresh;fresh")),
    ];
    for (what, value) in &rows {
        let answer = house.get("/pets", &[(FIELD, value)]).await;
        assert_eq!((answer.status, status(&answer)), (200, "none"), "{what}");
    }
    let fresh = format!("{proof};fresh");
    let twice = [(FIELD, &*fresh), (FIELD, &*fresh)];
    assert_eq!(status(&house.get("/pets", &twice).await), "none");
    assert_eq!(house.upstream.requests(), 0);
    let answer = house.get("/pets", &[(FIELD, &fresh)]).await;
    assert_eq!(status(&answer), "tollgate; fwd=request; stored");
}

#[tokio::test]
async fn a_version_that_the_portal_cannot_ask_has_no_proof() {
    let house = House::with(&secured(), json!([])).await;
    let stores = json!({ "ttl_s": 600 });
    let rows: [(Value, bool); 5] = [
        (json!({}), false),
        (json!({ "cache": { "enabled": false } }), false),
        (json!({ "cache": stores }), true),
        (
            json!({ "operations": [{ "operations": ["GET /pets"], "cache": stores }] }),
            true,
        ),
        (
            json!({ "cache": stores, "cors": { "origins": ["*"], "portal": false } }),
            false,
        ),
    ];
    for (policies, is_proven) in rows {
        house.redeploy(json!({ "policies": null })).await;
        house.redeploy(json!({ "policies": policies })).await;
        assert_eq!(house.own_trial().await.is_some(), is_proven, "{policies}");
    }
    // Without tokens there are no proofs.
    let house = House::new().await;
    house.cache(stores).await;
    assert_eq!(house.own_trial().await, None);
}
