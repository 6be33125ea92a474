//! How the steps of a message end.

use std::borrow::Cow;

use tollgate_model::refusal::Refusal;

use crate::coding::Coded;

/// What follows the steps of a message.
#[derive(Debug)]
pub enum Next {
    /// The message goes on, with its edits.
    Go,
    /// A step has responded.
    Respond(Given),
    /// A step needs the whole body.
    Wait(Wait),
}

/// A step that needs the body of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The position of the step in its list; the steps from there on have not run.
    pub step: usize,
    /// Whether the head is checked for the step, and its condition holds: only the body is missing.
    pub is_head_checked: bool,
    /// Maximum bytes of the body, decoded.
    pub bytes_max: u64,
    /// Units of work that the steps of the message have spent on its head.
    pub spent: usize,
}

/// A response that a step gave.
#[derive(Debug)]
pub struct Given {
    /// The status.
    pub status: u16,
    /// Names and values of its field lines.
    pub fields: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether it is an example of the document.
    pub is_mock: bool,
}

/// Why a message cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The rewritten path has a value that does not exist.
    #[error("the rewritten path has a value that does not exist")]
    Path,
    /// A back end might read the rewritten path as one that leads elsewhere.
    #[error("{0}")]
    Ambiguous(&'static str),
    /// A text or body would have more than 10 MiB.
    #[error("a policy makes a text of more than 10 MiB")]
    TooLong,
    /// The steps exceed the work that they may do on one message, in the step with this JSON
    /// Pointer from the configuration; `None` until the step is known.
    #[error("{} exceeds the work that policies may do on one message", name_of_step(.0.as_deref()))]
    TooMuchWork(Option<Box<str>>),
    /// A value that a template requires does not exist.
    #[error("a policy requires a value that the message does not have: {0}")]
    Missing(Box<str>),
    /// The body is longer than a step reads; with that bound.
    #[error("the body has more than {0} bytes")]
    BodyTooLarge(u64),
    /// The body has a content coding that cannot be decoded.
    #[error("{0}")]
    Coded(Coded),
    /// The body has another media type than a step reads.
    #[error("{0}")]
    WrongType(&'static str),
    /// The body is malformed.
    #[error("{0}")]
    NotWellFormed(Cow<'static, str>),
    /// The body exceeds a bound of threat protection, or matches a pattern.
    #[error("{0}")]
    Threat(Cow<'static, str>),
}

impl Stop {
    /// Returns the refusal of a message that is stopped: a request, or the upstream's response.
    #[must_use]
    pub fn refusal(&self, is_response: bool) -> Refusal {
        match (self, is_response) {
            (Self::Path, _) => Refusal::BadRequest,
            (Self::Ambiguous(_), _) => Refusal::Ambiguous,
            (Self::TooLong | Self::TooMuchWork(_) | Self::Missing(_), _) => Refusal::Policy,
            (Self::BodyTooLarge(_) | Self::Coded(Coded::TooLong), false) => Refusal::BodyTooLarge,
            (Self::WrongType(_) | Self::Coded(Coded::Unsupported), false) => Refusal::WrongType,
            (Self::NotWellFormed(_) | Self::Coded(Coded::Malformed), false) => {
                Refusal::NotWellFormed
            }
            (Self::Threat(_), false) => Refusal::Threat,
            (Self::BodyTooLarge(_) | Self::Coded(Coded::TooLong), true) => {
                Refusal::UpstreamTooLarge
            }
            (_, true) => Refusal::UpstreamNotUnderstood,
        }
    }

    /// Returns the sentence that explains the refusal to callers; `None` if its title does.
    #[must_use]
    pub fn detail(&self, is_response: bool) -> Option<String> {
        let detail = match (self, is_response) {
            (Self::BodyTooLarge(_) | Self::Coded(Coded::TooLong), _) => return None,
            (Self::Coded(Coded::Unsupported), false) => {
                "Send the body as it is, or with one content coding: gzip or br.".to_owned()
            }
            (Self::WrongType(_), true) => {
                "The body has a media type that a policy of the API does not read.".to_owned()
            }
            _ => sentence(self.to_string()),
        };
        Some(detail)
    }
}

/// Returns the name of a step with this JSON Pointer.
fn name_of_step(pointer: Option<&str>) -> String {
    pointer.map_or_else(|| "a step".to_owned(), |it| format!("the step {it}"))
}

/// Returns a reason as a sentence.
fn sentence(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}
