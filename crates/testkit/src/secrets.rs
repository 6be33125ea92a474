//! Secrets that must not be left behind: those sent through the control planes of started
//! processes, and where one of them is found.
//!
//! [`Control`](crate::control::Control) notes each secret of an accepted request and its response,
//! and rejects a response that shows one noted before. When a process has ended, its log and its
//! data are searched for all of them.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;
use serde_json::Value;

/// Members of requests and responses that contain a secret.
const MEMBERS: [&str; 7] = [
    "access_token",
    "client_secret",
    "key",
    "new_password",
    "one_time_password",
    "password",
    "token",
];
/// Members that are sent together as HTTP Basic: for a back end, an HTTP Basic user, a client.
const PAIRS: [(&str, &str); 3] = [
    ("name", "password"),
    ("user_name", "password"),
    ("id", "client_secret"),
];
/// Shorter ones would be found by chance.
const BYTES_MIN: usize = 8;
/// Files that are meant to contain a secret.
const KEY_FILES: [&str; 2] = ["master.key", "ca.key"];

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Known {
    /// The data directory of the process at an address.
    data: HashMap<SocketAddr, PathBuf>,
    /// The secrets noted for a data directory.
    secrets: HashMap<PathBuf, Vec<String>>,
    /// First one-time passwords: printed, and kept until they are used.
    printed: Vec<String>,
}

/// The searched parts of a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) fields: &'a [(String, String)],
    pub(crate) body: &'a [u8],
}

/// Notes that the process at this address uses this data from now on.
pub(crate) fn serves(address: SocketAddr, data: &Path) {
    lock().data.insert(address, data.to_owned());
}

/// Notes the printed one-time password of the first administrator.
pub(crate) fn printed(one_time: &str) {
    lock().printed.push(one_time.to_owned());
}

/// Notes a secret created by a control plane.
pub(crate) fn made(control: SocketAddr, secret: &str) {
    let mut known = lock();
    if let Some(data) = known.data.get(&control).cloned() {
        keep(secret, known.secrets.entry(data).or_default());
    }
}

/// Returns a secret of this process that a refusal shows: the product's own messages must not
/// contain any.
pub(crate) fn shown(address: SocketAddr, answer: Seen<'_>) -> Option<String> {
    let known = lock();
    let secrets = known.secrets.get(known.data.get(&address)?)?;
    let problem = (
        "content-type".to_owned(),
        "application/problem+json".to_owned(),
    );
    let is_refusal = answer.fields.contains(&problem);
    let is_shown = |secret: &&String| memmem::find(answer.body, secret.as_bytes()).is_some();
    secrets
        .iter()
        .filter(|_| is_refusal)
        .find(is_shown)
        .cloned()
}

/// Notes the secrets of an accepted request and its response; returns one that was noted before and
/// that the response shows.
pub(crate) fn exchanged(control: SocketAddr, request: &[u8], answer: Seen<'_>) -> Option<String> {
    let mut known = lock();
    let data = known.data.get(&control)?.clone();
    let secrets = known.secrets.entry(data).or_default();
    let is_shown = |secret: &&String| {
        let mut fields = answer.fields.iter();
        memmem::find(answer.body, secret.as_bytes()).is_some()
            || fields.any(|(_, value)| value.contains(&***secret))
    };
    let shown = secrets.iter().find(is_shown).cloned();
    if (200..300).contains(&answer.status) {
        for text in [request, answer.body] {
            if let Ok(json) = serde_json::from_slice(text) {
                note(&json, secrets);
            }
        }
    }
    shown
}

/// Returns the secrets of this data left behind, and where: in the output, or in a file.
pub(crate) fn left(data: &Path, output: &str) -> Vec<String> {
    let known = lock();
    let mut secrets = known.secrets.get(data).cloned().unwrap_or_default();
    secrets.retain(|secret| !known.printed.contains(secret));
    drop(known);
    let mut found = Vec::new();
    let mut search = |place: &str, bytes: &[u8]| {
        let holds = |secret: &String| memmem::find(bytes, secret.as_bytes()).is_some();
        let held = secrets.iter().filter(|secret| holds(secret));
        found.extend(held.map(|secret| format!("{secret:?} in {place}")));
    };
    search("the log", output.as_bytes());
    let mut folders = vec![data.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_key = KEY_FILES.iter().any(|name| path.ends_with(name));
            if path.is_dir() {
                folders.push(path);
            } else if !is_key && let Ok(bytes) = fs::read(&path) {
                search(&path.display().to_string(), &bytes);
            }
        }
    }
    found
}

/// Notes every member that contains a secret, at any depth.
fn note(json: &Value, secrets: &mut Vec<String>) {
    match json {
        Value::Object(members) => {
            let text = |name: &str| members.get(name).and_then(Value::as_str);
            for (name, secret) in PAIRS {
                if let (Some(name), Some(secret)) = (text(name), text(secret)) {
                    // As sent (RFC 7617).
                    keep(&STANDARD.encode(format!("{name}:{secret}")), secrets);
                }
            }
            for (name, value) in members {
                match value {
                    Value::String(text) if MEMBERS.contains(&&**name) => keep(text, secrets),
                    Value::Object(header) if name == "header" => {
                        let value = header.get("value").and_then(Value::as_str);
                        value.into_iter().for_each(|value| keep(value, secrets));
                    }
                    other => note(other, secrets),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| note(item, secrets)),
        _ => {}
    }
}

fn keep(text: &str, secrets: &mut Vec<String>) {
    if text.len() >= BYTES_MIN && !secrets.iter().any(|secret| secret == text) {
        secrets.push(text.to_owned());
    }
}

fn lock() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
