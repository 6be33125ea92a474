//! The key manager against its OpenAPI document (keys.md, K10): Schemathesis tries requests that
//! the document allows and forbids. No 5xx response, none that contradicts the document, none that
//! would be the same without authentication.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tollgate_testkit::Peers;
use tollgate_testkit::credentials::Secret;

use super::{Secured, secured};
use crate::peers::peers;

/// The seed: the same requests at each run.
const SEED: &str = "20261124";

/// The document of a process, with its own server and a client.
struct Tried {
    it: Secured,
    peers: Peers,
    client: Secret,
    folder: tempfile::TempDir,
}

impl Tried {
    async fn new(peers: Peers) -> Self {
        let it = Secured::new(&secured()).await;
        let body = json!({ "name": "opaque", "scopes": ["pets:read"],
            "token": { "form": "opaque" } });
        let application = &it.house.consumer.application;
        let client = it.house.admin.client(application, &body).await;
        Self {
            client: client.unwrap(),
            it,
            peers,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn document(&self, document: &Value) -> PathBuf {
        let path = self.folder.path().join("oauth2.openapi.json");
        fs::write(&path, document.to_string()).unwrap();
        path
    }

    fn run(&self, document: &Path, words: &[&str]) {
        let url = format!("http://{}", self.it.house.tollgate.control);
        let client = format!("{}:{}", self.client.id, self.client.text);
        let always = ["--seed", SEED, "--auth", &client, "--no-color"];
        let words = [&always, words].concat();
        let (is_clean, output) = self.peers.schemathesis(document, &url, &words).unwrap();
        assert!(is_clean, "{output}");
        let cases = output.lines().find(|line| line.contains(" generated, "));
        assert!(cases.is_some_and(|it| it.contains(" passed")), "{output}");
    }
}

fn document() -> Value {
    serde_json::to_value(tollgate_oauth2::document()).unwrap()
}

#[tokio::test]
async fn the_key_manager_matches_its_document() {
    let Some(peers) = peers() else { return };
    let tried = Tried::new(peers).await;
    let path = tried.document(&document());
    // The document does not list the existing scopes, resources and clients: requests that it
    // allows are often refused, with its errors.
    let checks = ["--exclude-checks", "positive_data_acceptance"];
    let phases = ["--phases", "examples,coverage,fuzzing"];
    let words = [checks, phases, ["--max-examples", "150"]];
    tried.run(&path, words.as_flattened());
}

#[tokio::test]
async fn no_operation_for_clients_succeeds_without_authentication() {
    let Some(peers) = peers() else { return };
    let tried = Tried::new(peers).await;
    // With the secret only in the head: then requests without it must be refused.
    let mut document = document();
    let mut operations = 0;
    for item in document["paths"].as_object_mut().unwrap().values_mut() {
        let Some(post) = item.get_mut("post") else {
            continue;
        };
        let security = post["security"].as_array_mut().unwrap();
        security.retain(|it| *it != json!({}));
        assert_eq!(security.len(), 1);
        operations += 1;
    }
    assert_eq!(operations, 3);
    let path = tried.document(&document);
    let words = ["--checks", "ignored_auth", "--max-examples", "20"];
    let posts = ["--include-method", "POST"];
    tried.run(&path, &[&words[..], &posts].concat());
}
