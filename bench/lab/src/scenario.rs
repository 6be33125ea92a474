//! A scenario: one kind of call, as a folder of `bench/scenarios`. `scenario.toml` says what is
//! sent and what must come back; `publish.json` lists the requests to Tollgate's control plane that
//! publish the API it calls; files beside them are messages and documents. Adding a scenario is
//! adding a folder.
//!
//! A message that is a file has `{text}` in it, which stands for letters: as many as the cell's
//! `message_bytes` less the scenario's `beside_text`, the bytes of the message that are not text.
//! So the same text can be told in several forms, JSON or XML, of which one is as long as the cell
//! asks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::credential::Credential;
use crate::load::Expect;
use crate::world::World;

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
    /// Path and query; `{message_bytes}` and `{delay_ms}` stand for the cell's.
    pub target: String,
    /// What Tollgate's address has before `target`, such as `/get/1.0`.
    pub base: String,
    /// Header fields beside that of the credential.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// What callers prove who they are with; an API key unless it is said.
    #[serde(default)]
    pub carries: Credential,
    /// How many credentials they have, where not as many as the world has keys.
    pub credentials: Option<u64>,
    /// What comes meanwhile, a second: tokens that clients get at the key manager, by their kind,
    /// or calls with forged ones.
    #[serde(default)]
    pub background: BTreeMap<Credential, u32>,
    /// The body; absent where none is sent.
    pub sends: Option<Content>,
    /// The status that is a success.
    pub status: u16,
    /// What the answer's body is as long as; absent where its length is not known.
    pub answers: Option<Content>,
    /// Bytes of the message that are not the text of the scenario's files.
    #[serde(default)]
    pub beside_text: u64,
    /// What is sent to the back end, directly or through a rival, and what comes back from it,
    /// where Tollgate does more than pass the call on.
    pub back_end: Option<BackEnd>,
    /// The only message sizes that it has, where not every size.
    pub message_bytes: Option<Vec<u64>>,
    /// The requests that publish its API.
    #[serde(skip)]
    pub publish: Vec<Step>,
    /// The files that are messages, by their names.
    #[serde(skip)]
    files: BTreeMap<String, String>,
}

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// JSON of exactly the message's size.
    Message,
    /// A file of the folder with `{text}` in it.
    File(String),
}

/// How the back end is spoken to; what is absent is as it is for Tollgate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackEnd {
    /// Path and query.
    pub target: Option<String>,
    /// Header fields.
    pub headers: Option<BTreeMap<String, String>>,
    /// The body.
    pub sends: Option<Content>,
    /// What the answer's body is as long as.
    pub answers: Option<Content>,
}

/// Who is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// Tollgate, below the scenario's `base`.
    Tollgate,
    /// The back end, or what passes everything on to it as it is.
    BackEnd,
}

/// A call, with the sizes of a cell filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Path and query.
    pub target: String,
    /// Header fields beside that of the credential.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Option<String>,
    /// What makes an answer a success.
    pub expect: Expect,
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
    /// A file of the folder that is sent instead.
    pub file: Option<String>,
    /// Its media type.
    pub content_type: Option<String>,
    /// What stands in it.
    #[serde(skip)]
    pub text: String,
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
            fs::read_to_string(folder.join(file))
                .with_context(|| format!("scenario {name:?} has no {file} in {}", folder.display()))
        };
        let text = read("scenario.toml")?;
        let mut scenario: Self =
            toml::from_str(&text).with_context(|| format!("scenario {name:?}"))?;
        scenario
            .check()
            .with_context(|| format!("scenario {name:?}"))?;
        if scenario.not_yet().is_some() {
            return Ok(scenario);
        }
        scenario.publish = serde_json::from_str(&read("publish.json")?)
            .with_context(|| format!("publish.json of scenario {name:?}"))?;
        for step in &mut scenario.publish {
            if let Some(file) = &step.file {
                step.text = read(file)?;
            }
        }
        for file in scenario.messages() {
            let text = read(&file)?;
            scenario.files.insert(file, text);
        }
        Ok(scenario)
    }

    /// # Errors
    /// It asks for what makes no sense.
    fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.credentials != Some(0),
            "callers need a credential: credentials must be above 0"
        );
        for (kind, per_second) in &self.background {
            ensure!(
                kind.made_of().is_token() && *per_second > 0,
                "background names tokens and how many a second, not {per_second} of {kind}"
            );
        }
        ensure!(
            !self.background.contains_key(&Credential::Forged) || self.carries == Credential::Jwt,
            "forged tokens come beside calls that carry jwt"
        );
        Ok(())
    }

    /// The files that are messages.
    fn messages(&self) -> Vec<String> {
        let back_end = self.back_end.iter();
        let of_back_end = back_end.flat_map(|it| [&it.sends, &it.answers]);
        let all = [&self.sends, &self.answers].into_iter().chain(of_back_end);
        all.flatten()
            .filter_map(|content| match content {
                Content::Message => None,
                Content::File(file) => Some(file.clone()),
            })
            .collect()
    }

    /// Why it cannot run, where it cannot.
    #[must_use]
    pub fn not_yet(&self) -> Option<String> {
        let needs = self.needs.join(", ");
        (!needs.is_empty()).then(|| format!("not yet possible: Tollgate does not have {needs}"))
    }

    /// How many credentials callers have in a world.
    #[must_use]
    pub fn credentials(&self, world: World) -> u64 {
        self.credentials.unwrap_or(world.keys)
    }

    /// Whether tokens are needed for it.
    #[must_use]
    pub fn needs_tokens(&self) -> bool {
        self.carries.made_of().is_token() || !self.background.is_empty()
    }

    /// Whether it is measured with messages of this size and this delay, which may have no way to
    /// the back end.
    #[must_use]
    pub fn allows(&self, message_bytes: u64, delay_ms: u64) -> bool {
        if delay_ms > 0 && !self.target.contains("{delay_ms}") {
            return false;
        }
        let only = self.message_bytes.as_ref();
        only.is_none_or(|sizes| sizes.contains(&message_bytes)) && message_bytes >= self.beside_text
    }

    /// The call of a cell.
    #[must_use]
    pub fn call(&self, callee: Callee, message_bytes: u64, delay_ms: u64) -> Call {
        let other = self.back_end.as_ref();
        let other = other.filter(|_| callee == Callee::BackEnd);
        let base = match callee {
            Callee::Tollgate => self.base.as_str(),
            Callee::BackEnd => "",
        };
        let target = other.and_then(|it| it.target.as_ref());
        let target = target.unwrap_or(&self.target);
        let headers = other.and_then(|it| it.headers.as_ref());
        let sends = other.and_then(|it| it.sends.as_ref());
        let answers = other.and_then(|it| it.answers.as_ref());
        let answers = answers.or(self.answers.as_ref());
        let answer = answers.map(|content| self.text(content, message_bytes));
        Call {
            target: format!("{base}{target}")
                .replace("{message_bytes}", &message_bytes.to_string())
                .replace("{delay_ms}", &delay_ms.to_string()),
            headers: headers.unwrap_or(&self.headers).clone(),
            body: sends
                .or(self.sends.as_ref())
                .map(|content| self.text(content, message_bytes)),
            expect: Expect {
                status: self.status,
                body_bytes: answer.map(|text| text.len() as u64),
            },
        }
    }

    /// A body of a message's size.
    #[must_use]
    pub fn text(&self, content: &Content, message_bytes: u64) -> String {
        let letters =
            |count: u64| "m".repeat(usize::try_from(count).expect("messages are bounded"));
        match (content, message_bytes.checked_sub(2)) {
            (Content::Message, Some(inside)) => format!("\"{}\"", letters(inside)),
            (Content::Message, None) => letters(message_bytes).replace('m', " "),
            (Content::File(file), _) => {
                let text = letters(message_bytes.saturating_sub(self.beside_text));
                let file = self.files.get(file).map_or("", String::as_str);
                file.trim_end().replace("{text}", &text)
            }
        }
    }
}

#[cfg(test)]
mod tests;
