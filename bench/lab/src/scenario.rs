//! A scenario: one kind of call, as a folder of `bench/scenarios`. `scenario.toml` says what is
//! sent and what must come back; `publish.json` lists the requests to Tollgate's control plane that
//! publish the API it calls. Adding a scenario is adding a folder.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;

use crate::load::Expect;

/// One kind of call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// For people.
    pub title: String,
    /// What Tollgate must have for it and does not have yet; empty where it can run.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The method.
    pub method: String,
    /// Path and query at the back end; `{message_bytes}` and `{delay_ms}` stand for the cell's.
    pub target: String,
    /// What Tollgate's address has before `target`, such as `/get/1.0`.
    pub base: String,
    /// Header fields beside the key's.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Whether a body of the message's size is sent.
    #[serde(default)]
    pub sends_message: bool,
    /// The status that is a success.
    pub status: u16,
    /// The size of the answer's body: `message` or absent where it is not known.
    pub answers: Option<Answers>,
    /// The only message sizes that it has, where not every size.
    pub message_bytes: Option<Vec<u64>>,
    /// The requests that publish its API.
    #[serde(skip)]
    pub publish: Vec<Step>,
}

/// What is known of an answer's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// It is the message's.
    Message,
}

/// One request to the control plane. In its path and body `{upstream}`, `{plan}` and what earlier
/// steps kept are replaced.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The method.
    pub method: String,
    /// Below `/api/v1`.
    pub path: String,
    /// What is sent.
    pub body: Option<Value>,
    /// What later steps need of the answer: a name, and where it stands (RFC 6901). The steps must
    /// keep a `version`: the one that is subscribed to.
    #[serde(default)]
    pub keep: BTreeMap<String, String>,
}

impl Scenario {
    /// Reads the folder `bench/scenarios/<name>`.
    ///
    /// # Errors
    /// A file is missing, or it is not such a file.
    pub fn read(bench: &Path, name: &str) -> anyhow::Result<Self> {
        let folder = bench.join("scenarios").join(name);
        let read = |file: &str| {
            std::fs::read_to_string(folder.join(file))
                .with_context(|| format!("scenario {name:?} has no {file} in {}", folder.display()))
        };
        let text = read("scenario.toml")?;
        let mut scenario: Self =
            toml::from_str(&text).with_context(|| format!("scenario {name:?}"))?;
        if scenario.not_yet().is_none() {
            scenario.publish = serde_json::from_str(&read("publish.json")?)
                .with_context(|| format!("publish.json of scenario {name:?}"))?;
        }
        Ok(scenario)
    }

    /// Why it cannot run, where it cannot.
    #[must_use]
    pub fn not_yet(&self) -> Option<String> {
        let needs = self.needs.join(", ");
        (!needs.is_empty()).then(|| format!("not yet possible: Tollgate does not have {needs}"))
    }

    /// Whether it is measured with messages of this size.
    #[must_use]
    pub fn allows(&self, message_bytes: u64) -> bool {
        let only = self.message_bytes.as_ref();
        only.is_none_or(|sizes| sizes.contains(&message_bytes))
    }

    /// Path and query at the back end.
    #[must_use]
    pub fn target(&self, message_bytes: u64, delay_ms: u64) -> String {
        self.target
            .replace("{message_bytes}", &message_bytes.to_string())
            .replace("{delay_ms}", &delay_ms.to_string())
    }

    /// What makes an answer a success.
    #[must_use]
    pub fn expect(&self, message_bytes: u64) -> Expect {
        Expect {
            status: self.status,
            body_bytes: self.answers.map(|Answers::Message| message_bytes),
        }
    }
}
