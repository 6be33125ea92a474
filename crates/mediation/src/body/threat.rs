//! `threat_protection`: bounds on a JSON body, and patterns that neither the body nor the query may
//! match. Refusals name the bound, never the value.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use tollgate_json::tape::{Kind, NodeId, View};

use super::Body;
use crate::expression::Pattern;
use crate::outcome::Stop;
use crate::scope::{Scratch, decode};

/// The bounds of a body, and the patterns that it must not match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreatProtection {
    pub(crate) depth: u32,
    pub(crate) members: u32,
    pub(crate) items: u32,
    pub(crate) key_bytes: u32,
    pub(crate) string_bytes: u32,
    pub(crate) patterns: Box<[Pattern]>,
}

fn threat(sentence: String) -> Stop {
    Stop::Threat(sentence.into())
}

impl ThreatProtection {
    /// Checks a body.
    ///
    /// # Errors
    /// Fails if it exceeds a bound or matches a pattern, or if the work is exceeded.
    pub(super) fn check(&self, body: Body<'_>, scratch: &Scratch) -> Result<(), Stop> {
        let search = Search {
            threats: self,
            scratch,
        };
        match body.json {
            Some((&view, root)) => search.value(view, root, 0),
            None => Ok(()),
        }
    }

    /// Checks the names and values of a query's parameters, decoded.
    ///
    /// # Errors
    /// Fails if one matches a pattern, or if the work is exceeded.
    pub(crate) fn check_query(&self, query: &[u8], scratch: &Scratch) -> Result<(), Stop> {
        if self.patterns.is_empty() || query.is_empty() {
            return Ok(());
        }
        let search = Search {
            threats: self,
            scratch,
        };
        for pair in query.split(|&byte| byte == b'&') {
            let middle = pair.iter().position(|&byte| byte == b'=');
            let (name, value) = pair.split_at(middle.unwrap_or(pair.len()));
            for part in [name, value.get(1..).unwrap_or_default()] {
                search.text(&decoded(part), "a parameter of the query")?;
            }
        }
        Ok(())
    }

    /// The refusal of a body that is nested deeper, or has a longer array, than any body may.
    pub(crate) fn too_deep(&self) -> Stop {
        threat(format!(
            "the body is nested deeper than {} levels",
            self.depth
        ))
    }

    pub(crate) fn too_many_items(&self) -> Stop {
        threat(format!(
            "an array of the body has more than {} items",
            self.items
        ))
    }
}

/// A search for threats in one message.
struct Search<'s> {
    threats: &'s ThreatProtection,
    scratch: &'s Scratch,
}

impl Search<'_> {
    /// Checks a value. Recursive, since the depth is bounded.
    fn value(&self, view: View<'_>, node: NodeId, depth: u32) -> Result<(), Stop> {
        match view.kind(node) {
            Kind::Object | Kind::Array if depth >= self.threats.depth => {
                Err(self.threats.too_deep())
            }
            Kind::Object => {
                for (count, key) in (0..).zip(view.children(node)) {
                    if count >= self.threats.members {
                        let bound = self.threats.members;
                        let sentence = "an object of the body has more than";
                        return Err(threat(format!("{sentence} {bound} members")));
                    }
                    let name = view.text(key);
                    if name.len() > self.threats.key_bytes as usize {
                        let bound = self.threats.key_bytes;
                        let sentence = "a name in the body has more than";
                        return Err(threat(format!("{sentence} {bound} bytes")));
                    }
                    self.text(name, "a name in the body")?;
                    self.value(view, view.value(key), depth + 1)?;
                }
                Ok(())
            }
            Kind::Array => {
                for (count, item) in (0..).zip(view.children(node)) {
                    if count >= self.threats.items {
                        return Err(self.threats.too_many_items());
                    }
                    self.value(view, item, depth + 1)?;
                }
                Ok(())
            }
            Kind::Text => {
                let text = view.text(node);
                if text.len() > self.threats.string_bytes as usize {
                    let bound = self.threats.string_bytes;
                    return Err(threat(format!(
                        "a text of the body has more than {bound} bytes"
                    )));
                }
                self.text(text, "a text of the body")
            }
            _ => Ok(()),
        }
    }

    fn text(&self, text: &str, what: &str) -> Result<(), Stop> {
        let mut patterns = self.threats.patterns.iter();
        let found = patterns.position(|it| it.is_match(text, self.scratch));
        self.scratch.work().check()?;
        match found {
            Some(index) => Err(threat(format!(
                "{what} matches a pattern: number {}",
                index + 1
            ))),
            None => Ok(()),
        }
    }
}

/// Decodes a part of a query as lenient back ends do: what is malformed stays as it is, so that it
/// hides nothing from the patterns.
fn decoded(raw: &[u8]) -> Cow<'_, str> {
    if !raw.iter().any(|&byte| byte == b'%' || byte == b'+') {
        return String::from_utf8_lossy(raw);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        let escape = rest.get(..3).filter(|_| byte == b'%');
        let escaped = escape.and_then(|escape| decode(escape, true).next().flatten());
        match (byte, escaped) {
            (_, Some(escaped)) => {
                bytes.push(escaped);
                rest = &rest[3..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}
