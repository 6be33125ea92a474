//! Single changes and their effects on callers.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use serde::Serialize;

use super::pointer::Pointer;
use super::rule::Rule;

/// Maximum length in bytes of a change's first half, and of names and values in it.
const SENTENCE_BYTES_MAX: usize = 1_000;
pub(super) const NAME_BYTES_MAX: usize = 200;

/// One change of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// JSON pointer (RFC 6901) into the document that `document` names. Swagger documents are
    /// compared, and pointed into, as OpenAPI 3.0.
    pub pointer: String,
    /// The document that contains the value: the old one if the value is gone.
    pub document: Which,
    /// The change and its effect on callers, in English.
    pub sentence: String,
    /// The rule by which it breaks callers.
    pub breaking: Option<Rule>,
    /// Whether the change was judged. If not, it may break callers.
    pub judged: bool,
}

/// One of two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The one before.
    Old,
    /// The one after.
    New,
}

impl Which {
    /// Returns a place in this document.
    pub(super) const fn at<'p, 'd>(self, pointer: &'p Pointer<'d>) -> Place<'p, 'd> {
        Place {
            document: self,
            pointer,
        }
    }
}

/// A place in one of the two documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p, 'd> {
    document: Which,
    pointer: &'p Pointer<'d>,
}

/// How a value is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Usage {
    Request,
    Response,
}

/// How a set of values changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    Narrower,
    Wider,
    /// Some values left, others came.
    Both,
    Unknown,
}

/// The judgement of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Breaks(Rule),
    Compatible,
    Unjudged,
}

/// The rules by which a changed set of values breaks callers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    narrower_request: Rule,
    wider_response: Rule,
}

pub(super) const TYPE: Rules = Rules {
    narrower_request: Rule::RequestTypeNarrower,
    wider_response: Rule::ResponseTypeWider,
};
pub(super) const ENUMERATION: Rules = Rules {
    narrower_request: Rule::RequestEnumerationNarrower,
    wider_response: Rule::ResponseEnumerationWider,
};
pub(super) const BOUND: Rules = Rules {
    narrower_request: Rule::RequestBoundNarrower,
    wider_response: Rule::ResponseBoundWider,
};
pub(super) const NULL: Rules = Rules {
    narrower_request: Rule::RequestNullRemoved,
    wider_response: Rule::ResponseNullAdded,
};

impl Usage {
    /// Judges a set of values that changed.
    pub(super) const fn judge(self, shift: Shift, rules: Rules) -> Verdict {
        match (self, shift) {
            (_, Shift::Unknown) => Verdict::Unjudged,
            (Self::Request, Shift::Narrower | Shift::Both) => {
                Verdict::Breaks(rules.narrower_request)
            }
            (Self::Response, Shift::Wider | Shift::Both) => Verdict::Breaks(rules.wider_response),
            (Self::Request, Shift::Wider) | (Self::Response, Shift::Narrower) => {
                Verdict::Compatible
            }
        }
    }
}

impl Change {
    /// Creates a change; `what` is the first half of its sentence.
    pub(super) fn new(place: Place<'_, '_>, what: &str, verdict: Verdict) -> Self {
        let (effect, breaking) = match verdict {
            Verdict::Breaks(rule) => (effect(rule), Some(rule)),
            Verdict::Compatible => ("existing calls are not affected", None),
            Verdict::Unjudged => ("check whether existing calls are affected", None),
        };
        let what = clipped(what, SENTENCE_BYTES_MAX);
        let mut characters = what.chars();
        let first = characters.next().map(|it| it.to_ascii_uppercase());
        let what: String = first.into_iter().chain(characters).collect();
        Self {
            pointer: place.pointer.to_string(),
            document: place.document,
            sentence: format!("{what}; {effect}."),
            breaking,
            judged: verdict != Verdict::Unjudged,
        }
    }
}

/// Returns the text, its end cut off where it is longer than this.
pub(super) fn clipped(text: &str, bytes_max: usize) -> Cow<'_, str> {
    match text.len() > bytes_max {
        true => Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(bytes_max)])),
        false => Cow::Borrowed(text),
    }
}

/// Returns the effect of a breaking change on callers.
const fn effect(rule: Rule) -> &'static str {
    match rule {
        Rule::OperationRemoved => "calls that need it fail",
        Rule::ParameterRemoved => "calls that send it may be rejected or answered differently",
        Rule::ParameterRequired | Rule::PropertyRequired | Rule::BodyRequired => {
            "calls without it are rejected"
        }
        Rule::RequestTypeNarrower
        | Rule::RequestEnumerationNarrower
        | Rule::RequestBoundNarrower
        | Rule::RequestNullRemoved => "calls that were valid may be rejected",
        Rule::ResponseTypeWider
        | Rule::ResponseEnumerationWider
        | Rule::ResponseBoundWider
        | Rule::ResponseNullAdded => "callers may receive values that they do not expect",
        Rule::ResponseRemoved => "callers that expect it may fail",
        Rule::ResponsePropertyRemoved => "callers that rely on it may fail",
        Rule::MediaTypeRemoved => "callers that use it may fail",
        Rule::SecurityRequired => "calls without such a credential are rejected",
        Rule::ScopeAdded => "access tokens without it are rejected",
    }
}

/// The name of a value in sentences.
#[derive(Debug, Clone)]
pub(super) struct Label {
    root: Root,
    path: String,
}

#[derive(Debug, Clone)]
enum Root {
    /// A component: `Pet`.
    Component(Rc<str>),
    /// A phrase: the request body.
    Phrase(Rc<str>),
}

impl Label {
    pub(super) fn phrase(text: &str) -> Self {
        Self {
            root: Root::Phrase(clipped(text, NAME_BYTES_MAX).into()),
            path: String::new(),
        }
    }

    pub(super) fn component(name: &str) -> Self {
        Self {
            root: Root::Component(clipped(name, NAME_BYTES_MAX).into()),
            path: String::new(),
        }
    }

    /// Whether it names a component, which both requests and responses may have.
    pub(super) const fn is_component(&self) -> bool {
        matches!(self.root, Root::Component(_))
    }

    /// The label of a property.
    pub(super) fn property(&self, name: &str) -> Self {
        let separator = if self.path.is_empty() { "" } else { "." };
        let name = clipped(name, NAME_BYTES_MAX);
        self.with(&format!("{}{separator}{name}", self.path))
    }

    /// The label of the items of a list.
    pub(super) fn items(&self) -> Self {
        self.with(&format!("{}[]", self.path))
    }

    fn with(&self, path: &str) -> Self {
        let root = self.root.clone();
        let path = clipped(path, NAME_BYTES_MAX).into_owned();
        Self { root, path }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.root {
            Root::Component(name) if path.is_empty() => write!(out, "`{name}`"),
            Root::Component(name) if path.starts_with('[') => write!(out, "`{name}{path}`"),
            Root::Component(name) => write!(out, "`{name}.{path}`"),
            Root::Phrase(text) if path.is_empty() => out.write_str(text),
            Root::Phrase(text) => write!(out, "`{path}` of {text}"),
        }
    }
}
