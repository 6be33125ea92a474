//! Applications and APIs: each acknowledged one exists under its name, and none is incomplete.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use serde_json::{Value, json};

use super::{Life, text};

/// Nouns of one kind.
#[derive(Default)]
struct Nouns {
    /// The acknowledged ones, by id.
    made: RefCell<BTreeMap<String, Value>>,
    /// All up to this one have been found as acknowledged.
    checked: Option<String>,
}

impl Nouns {
    fn note(&self, noun: &Value) {
        self.made
            .borrow_mut()
            .insert(text(&noun["id"]), noun.clone());
    }

    async fn check(&mut self, life: &Life, path: &str) {
        let listed = life.list(path, self.checked.as_deref()).await.into_iter();
        let found: BTreeMap<_, _> = listed.map(|it| (text(&it["id"]), it)).collect();
        let made = self.made.get_mut();
        let checked = self.checked.take();
        let new = made.range((checked.map_or(Unbounded, Excluded), Unbounded));
        for (id, noun) in new {
            assert_eq!(found.get(id), Some(noun));
        }
        self.checked = made.keys().next_back().cloned();
    }
}

#[derive(Default)]
pub(super) struct Made {
    count: Cell<u64>,
    applications: Nouns,
    apis: Nouns,
    /// By the id of their API.
    versions: RefCell<BTreeMap<String, Value>>,
}

impl Made {
    /// Creates three at a time, until the process is killed.
    pub(super) async fn write(&self, life: &Life) {
        tokio::join!(self.make(life), self.make(life), self.make(life));
    }

    async fn make(&self, life: &Life) -> Option<()> {
        loop {
            self.count.set(self.count.get() + 1);
            let name = format!("n{}", self.count.get());
            let body = json!({ "name": name });
            let made = life.write("POST", "/api/v1/applications", body).await?;
            self.applications.note(&made);

            let body = json!({ "name": name, "context": format!("/{name}"), "version": "1" });
            let made = life.write("POST", "/api/v1/apis", body).await?;
            self.apis.note(&made["api"]);
            let (id, version) = (text(&made["api"]["id"]), made["version"].clone());
            self.versions.borrow_mut().insert(id, version);
        }
    }

    /// Asserts that the nouns of the last life exist as acknowledged.
    pub(super) async fn check(&mut self, life: &Life) {
        self.applications.check(life, "/api/v1/applications").await;
        self.apis.check(life, "/api/v1/apis").await;
    }

    /// Asserts that all exist. An API is created with its version in one step: each has one.
    pub(super) async fn check_all(&mut self, life: &Life) {
        (self.applications.checked, self.apis.checked) = (None, None);
        self.check(life).await;
        let apis = life.list("/api/v1/apis", None).await;
        for api in &apis {
            let id = text(&api["id"]);
            let versions = life
                .list(&format!("/api/v1/apis/{id}/versions"), None)
                .await;
            assert_eq!(versions.len(), 1, "{api}");
            if let Some(version) = self.versions.get_mut().get(&id) {
                assert_eq!(versions[0], *version);
            }
        }
        assert!(apis.len() >= 20, "only {} APIs", apis.len());
    }
}
