//! A version's draft with its document: both are replaced, and restored from a revision, in one
//! write. Each document has a mark in its title and in a path, so that a document beside the
//! operations of another one is detected.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Known, Life};
use crate::house::House;

pub(super) struct Described {
    version: String,
    draft: Known<u64>,
    /// The mark that was used last.
    last: u64,
    /// The marks of the revisions, by number.
    marks: BTreeMap<u64, u64>,
}

impl Described {
    pub(super) async fn begin(house: &House) -> Self {
        let (admin, first) = (&house.admin, 1);
        let document = document(first);
        let made = admin.import("described", "/described", "1.0", &document);
        let version = made.await.unwrap().version;
        let number = admin.revision(&version).await.unwrap();
        Self {
            version,
            draft: Known::new(first),
            last: first,
            marks: BTreeMap::from([(number, first)]),
        }
    }

    /// Replaces the document and restores the first revision, until the process is killed.
    pub(super) async fn write(&mut self, life: &Life) -> Option<()> {
        let restore = format!("/api/v1/versions/{}/draft/restore", self.version);
        let (number, first) = self.marks.first_key_value()?;
        loop {
            self.last += 1;
            let document = document(self.last);
            let replace = life.replace_document(&self.version, &document);
            self.draft.write(self.last, replace).await?;
            let restored = life.write("POST", &restore, json!({ "revision": number }));
            self.draft.write(*first, restored).await?;
        }
    }

    /// Asserts that the draft has the operations of its document.
    pub(super) async fn check(&mut self, life: &Life) {
        let path = format!("/api/v1/versions/{}", self.version);
        let draft = life.read(&format!("{path}/draft")).await;
        let operation = &draft["operations"][0]["path"];
        let document = life.read(&format!("{path}/document?of=draft")).await;
        let title = document["info"]["title"].as_str().unwrap();
        let mark = title.parse().unwrap();
        assert_eq!(*operation, format!("/only-{mark}"), "{draft}");
        assert!(
            document["paths"][format!("/only-{mark}")].is_object(),
            "{document}"
        );
        self.draft.find(&mark, "the draft");
    }

    pub(super) async fn check_all(&mut self, life: &Life) {
        self.check(life).await;
        assert!(self.last >= 5, "only {} documents", self.last);
    }
}

/// Returns a document with one operation, marked in two places.
fn document(mark: u64) -> String {
    json!({
        "openapi": "3.1.0",
        "info": { "title": mark.to_string(), "version": "1" },
        "paths": { format!("/only-{mark}"): { "get": {
            "responses": { "200": { "description": "ok" } },
        } } },
    })
    .to_string()
}
