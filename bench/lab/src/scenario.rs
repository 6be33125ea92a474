//! A scenario: one kind of call, as a folder of `bench/scenarios`. `scenario.toml` describes the
//! request and the expected response; `publish.json` lists the requests to Tollgate's control plane
//! that publish the API; other files are messages and documents. To add a scenario, add a folder.
//!
//! A message file contains `{text}`, which is replaced by letters: as many as the cell's
//! `message_bytes` minus the scenario's `beside_text`, the bytes of the message that are not text.
//! Thus the same text can have several forms, JSON or XML, one of which has the size of the cell.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::credential::Credential;
use crate::load::{ADDRESS, Expect};
use crate::world::World;

/// One kind of call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Title for people.
    pub title: String,
    /// Features that Tollgate lacks for it; empty if it can run.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The method.
    pub method: String,
    /// Path and query; `{message_bytes}` and `{delay_ms}` are replaced by the cell's values, and
    /// `{turn}` by the number of the round.
    pub target: String,
    /// Whether each user sends one request in a round, all at the same time.
    #[serde(default)]
    pub once: bool,
    /// Prefix of `target` at Tollgate, such as `/get/1.0`.
    pub base: String,
    /// Header fields in addition to the credential's; `{address}` is replaced by an IPv4 address, a
    /// different one for each credential.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The kind of credential that callers use; an API key by default.
    #[serde(default)]
    pub carries: Credential,
    /// Number of credentials, if not the world's number of keys.
    pub credentials: Option<u64>,
    /// Background load per second: tokens issued by the key manager, by kind, or calls with forged
    /// ones.
    #[serde(default)]
    pub background: BTreeMap<Credential, u32>,
    /// The body, if any.
    pub sends: Option<Content>,
    /// The status of a success.
    pub status: u16,
    /// Content with the length of the response body, if known.
    pub answers: Option<Content>,
    /// Bytes of the message that are not the text of the scenario's files.
    #[serde(default)]
    pub beside_text: u64,
    /// The request to the back end, directly or through a rival, and its response, if Tollgate does
    /// more than forward the call.
    pub back_end: Option<BackEnd>,
    /// The supported message sizes; all if absent.
    pub message_bytes: Option<Vec<u64>>,
    /// The requests that publish its API.
    #[serde(skip)]
    pub publish: Vec<Step>,
    /// The message files by name.
    #[serde(skip)]
    files: BTreeMap<String, String>,
}

/// The content of a body.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// JSON of exactly the message's size.
    Message,
    /// A file of the folder with `{text}` in it.
    File(String),
}

/// Overrides for calls of the back end; absent parts are the same as for Tollgate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackEnd {
    /// Path and query.
    pub target: Option<String>,
    /// Header fields.
    pub headers: Option<BTreeMap<String, String>>,
    /// The body.
    pub sends: Option<Content>,
    /// Content with the length of the response body.
    pub answers: Option<Content>,
}

/// The recipient of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// Tollgate, below the scenario's `base`.
    Tollgate,
    /// The back end, or a gateway that forwards everything unchanged.
    BackEnd,
}

/// A call with the sizes of a cell filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Path and query.
    pub target: String,
    /// Header fields in addition to the credential's.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Option<String>,
    /// The expected response.
    pub expect: Expect,
}

/// One request to the control plane. In its path and body `{upstream}`, `{plan}` and the values
/// kept by earlier steps are replaced.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The method.
    pub method: String,
    /// Path below `/api/v1`.
    pub path: String,
    /// JSON body.
    pub body: Option<Value>,
    /// A file of the folder to send instead.
    pub file: Option<String>,
    /// Its media type.
    pub content_type: Option<String>,
    /// Contents of that file.
    #[serde(skip)]
    pub text: String,
    /// Values of the response that later steps need: a name and a JSON pointer (RFC 6901). The
    /// steps must keep a `version`: applications subscribe to it.
    #[serde(default)]
    pub keep: BTreeMap<String, String>,
}

impl Call {
    /// Fills in the number of the round.
    #[must_use]
    pub fn in_turn(self, turn: u32) -> Self {
        let target = self.target.replace("{turn}", &turn.to_string());
        Self { target, ..self }
    }
}

impl Scenario {
    /// Reads the folder `bench/scenarios/<name>`.
    ///
    /// # Errors
    /// Fails if a file is missing or invalid.
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
    /// Fails if the scenario is not valid.
    fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.credentials != Some(0),
            "callers need a credential: credentials must be above 0"
        );
        for (kind, per_second) in &self.background {
            ensure!(
                kind.made_of().is_token() && *per_second > 0,
                "background requires kinds of tokens and rates above 0, not {per_second} of {kind}"
            );
        }
        ensure!(
            !self.background.contains_key(&Credential::Forged) || self.carries == Credential::Jwt,
            "background of forged tokens requires calls that carry jwt"
        );
        ensure!(
            self.once || !self.target.contains("{turn}"),
            "only calls that each user sends once in a round may contain {{turn}}"
        );
        let of_back_end = self.back_end.iter().filter_map(|it| it.headers.as_ref());
        for (name, value) in of_back_end.chain([&self.headers]).flatten() {
            ensure!(
                !value.replace(ADDRESS, "").contains(['{', '}']),
                "{name}: {value:?} has a placeholder other than {ADDRESS}"
            );
        }
        Ok(())
    }

    /// Returns the names of the message files.
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

    /// Returns why it cannot run, if it cannot.
    #[must_use]
    pub fn not_yet(&self) -> Option<String> {
        let needs = self.needs.join(", ");
        (!needs.is_empty()).then(|| format!("not yet possible: Tollgate does not have {needs}"))
    }

    /// Returns the number of credentials that callers have in a world.
    #[must_use]
    pub fn credentials(&self, world: World) -> u64 {
        self.credentials.unwrap_or(world.keys)
    }

    /// Whether it needs tokens.
    #[must_use]
    pub fn needs_tokens(&self) -> bool {
        self.carries.made_of().is_token() || !self.background.is_empty()
    }

    /// Whether it supports messages of this size and this delay, which the target may not pass to
    /// the back end.
    #[must_use]
    pub fn allows(&self, message_bytes: u64, delay_ms: u64) -> bool {
        if delay_ms > 0 && !self.target.contains("{delay_ms}") {
            return false;
        }
        let only = self.message_bytes.as_ref();
        only.is_none_or(|sizes| sizes.contains(&message_bytes)) && message_bytes >= self.beside_text
    }

    /// Returns the call of a cell.
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

    /// Returns a body for a message of this size.
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
