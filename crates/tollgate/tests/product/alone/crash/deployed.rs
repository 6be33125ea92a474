//! A published version: its draft, its revisions, and which of them is deployed. Each contains a
//! mark in two places, the path of its upstream and an operation of its own, so that a mixture is
//! detected.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Known, Life, UNLIMITED, text};
use crate::house::House;

pub(super) struct Deployed {
    version: String,
    upstream: String,
    /// A key for the version.
    key: String,
    draft: Known<u64>,
    /// Number of revisions.
    revisions: Known<u64>,
    /// The marks of the created revisions, by number.
    marks: BTreeMap<u64, u64>,
    /// The number of the deployed revision.
    deployed: Known<u64>,
    /// Revisions up to this number have been found as written.
    checked: u64,
}

impl Deployed {
    /// Deploys a first revision with a mark, the version's second one.
    pub(super) async fn begin(house: &House) -> Self {
        let (admin, version) = (&house.admin, &house.api.version);
        let (upstream, first) = (house.upstream.url(), 1);
        let path = format!("/api/v1/versions/{version}/draft");
        let draft = marked(&upstream, first);
        admin.done("PATCH", &path, Some(&draft)).await.unwrap();
        let number = admin.revision(version).await.unwrap();
        admin.deploy(version, number).await.unwrap();
        let consumer = admin.consumer("looker", version, UNLIMITED).await.unwrap();
        Self {
            version: version.clone(),
            upstream,
            key: consumer.key,
            draft: Known::new(first),
            revisions: Known::new(number),
            marks: BTreeMap::from([(number, first)]),
            deployed: Known::new(number),
            checked: number,
        }
    }

    /// Edits, freezes and deploys the draft and rolls back, until the process is killed.
    pub(super) async fn write(&mut self, life: &Life) -> Option<()> {
        let parts = ["draft", "revisions", "deployment"];
        let [draft, revisions, deployment] = parts.map(|part| self.path(part));
        loop {
            let mark = self.draft.acknowledged + 1;
            let edit = life.write("PATCH", &draft, marked(&self.upstream, mark));
            self.draft.write(mark, edit).await?;
            let next = self.revisions.acknowledged + 1;
            let freeze = life.write("POST", &revisions, json!({}));
            let made = self.revisions.write(next, freeze).await?;
            assert_eq!(made["number"], next);
            self.marks.insert(next, mark);
            let older = *self.marks.keys().rev().nth(1)?;
            for number in [next, older] {
                let deploy = life.write("PUT", &deployment, json!({ "revision": number }));
                self.deployed.write(number, deploy).await?;
            }
        }
    }

    /// Asserts that the deployed revision, the draft and each revision are complete and possible.
    pub(super) async fn check(&mut self, life: &Life) {
        let served = self.served(life).await;
        let deployment = life.read(&self.path("deployment")).await;
        let number = deployment["revision"]["number"].as_u64().unwrap();
        self.deployed.find(&number, "the deployed revision");
        assert_eq!(served, self.marks[&number], "of revision {number}");

        let draft = life.read(&self.path("draft")).await;
        self.draft.find(&mark(&draft), "the draft");
        let checked = self.checked.to_string();
        let new = life.list(&self.path("revisions"), Some(&checked)).await;
        let count = self.checked + u64::try_from(new.len()).unwrap();
        self.revisions.find(&count, "the number of revisions");
        // A revision is requested only after its draft is acknowledged.
        self.marks.entry(count).or_insert(self.draft.acknowledged);
        for number in self.checked + 1..=count {
            let path = format!("{}/{number}", self.path("revisions"));
            let revision = life.read(&path).await;
            assert_eq!(mark(&revision["configuration"]), self.marks[&number]);
        }
        self.checked = count;
    }

    /// Returns the mark of the served revision, in both places.
    async fn served(&self, life: &Life) -> u64 {
        let answer = life.call("/pets/1.0/pets", &self.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let line = answer.field("x-echo").unwrap();
        let served = line.split('/').nth(1).unwrap().parse().unwrap();
        let candidates = self.candidates();
        assert!(candidates.contains(&served), "{line}: {candidates:?}");
        for mark in candidates {
            let answer = life
                .call(&format!("/pets/1.0/only-{mark}"), &self.key)
                .await;
            let expected = if mark == served { 200 } else { 404 };
            assert_eq!(answer.status, expected, "{mark}, {line}");
        }
        served
    }

    /// Returns the marks of the revisions that may be deployed, and of one more.
    fn candidates(&self) -> BTreeSet<u64> {
        let newest = self.marks.keys().last().copied();
        let numbers = [
            Some(self.deployed.acknowledged),
            self.deployed.requested,
            newest,
        ];
        let marks = numbers.iter().flatten().map(|number| self.marks[number]);
        marks.collect()
    }

    pub(super) async fn check_all(&mut self, life: &Life) {
        self.checked = 1;
        self.check(life).await;
        assert!(self.marks.len() >= 5, "only {} revisions", self.marks.len());
    }

    fn path(&self, part: &str) -> String {
        format!("/api/v1/versions/{}/{part}", self.version)
    }
}

/// Returns the change that marks a draft.
fn marked(upstream: &str, mark: u64) -> Value {
    json!({
        "upstream": { "url": format!("{upstream}/{mark}") },
        "operations": [
            { "method": "GET", "path": "/pets" },
            { "method": "GET", "path": format!("/only-{mark}") },
        ],
    })
}

/// Returns the mark of a configuration, in both places.
fn mark(configuration: &Value) -> u64 {
    let url = text(&configuration["upstream"]["url"]);
    let mark = url.rsplit('/').next().unwrap();
    let operations = &configuration["operations"];
    assert_eq!(operations[1]["path"], format!("/only-{mark}"));
    mark.parse().unwrap()
}
