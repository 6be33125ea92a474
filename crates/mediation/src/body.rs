//! Steps that change the body of a message: one file for each, which compiles and runs it.

pub(crate) mod compress;
pub(crate) mod edit;
pub(crate) mod json_to_xml;
pub(crate) mod mask;
pub(crate) mod members;
pub(crate) mod path;
mod splice;
pub(crate) mod template;
pub(crate) mod text;
pub(crate) mod threat;
pub(crate) mod xml_to_json;

use serde::{Deserialize, Serialize};
use tollgate_json::tape::{Malformed, NodeId, Problem, View};

use crate::body_type::BodyType;
use crate::edits::{Changed, Edits};
use crate::expression::Expression;
use crate::message::{BodyLength, Subject};
use crate::outcome::Stop;
use compress::Compress;
use edit::JsonEdit;
use json_to_xml::JsonToXml;
use mask::Mask;
use template::JsonTemplate;
use text::ReplaceText;
use threat::ThreatProtection;
use xml_to_json::XmlToJson;

/// A step that reads the whole body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BodyStep {
    pub(crate) change: Change,
    /// Maximum bytes of the body.
    pub(crate) bytes_max: u64,
    /// Whether bodies of other media types are refused, or skipped.
    pub(crate) refuses_others: bool,
}

/// What a step does with a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    JsonTemplate(JsonTemplate),
    JsonEdit(JsonEdit),
    Mask(Mask),
    ReplaceText(ReplaceText),
    ThreatProtection(ThreatProtection),
    JsonToXml(JsonToXml),
    XmlToJson(XmlToJson),
    Compress(Compress),
}

impl Change {
    /// Whether the step runs if its condition has no value.
    pub(crate) fn runs_by_default(&self) -> bool {
        match self {
            Self::JsonTemplate(_)
            | Self::JsonEdit(_)
            | Self::ReplaceText(_)
            | Self::JsonToXml(_)
            | Self::XmlToJson(_)
            | Self::Compress(_) => false,
            Self::Mask(_) | Self::ThreatProtection(_) => true,
        }
    }
}

/// A whole body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'m> {
    pub(crate) bytes: &'m [u8],
    /// Its tape and root, if the step needs JSON and it is JSON.
    pub(crate) json: Option<(&'m View<'m>, NodeId)>,
}

/// The part of a step that runs, and where it writes.
pub(crate) struct Making<'r> {
    pub(crate) part: usize,
    pub(crate) out: &'r mut Vec<u8>,
    pub(crate) tools: &'r mut Tools,
}

/// Memory of single steps, reused.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) xml: xml_to_json::Memory,
    pub(crate) deflate: compress::State,
}

/// The bodies that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Json,
    Xml,
    Text,
}

impl Takes {
    fn includes(self, of: BodyType) -> bool {
        match self {
            Self::Json => of.is_json,
            Self::Xml => of.is_xml,
            Self::Text => of.is_text,
        }
    }

    /// The reason why a body of another media type is refused.
    fn refusal(self) -> &'static str {
        match self {
            Self::Json => "Send JSON in UTF-8: application/json.",
            Self::Xml => "Send XML in UTF-8: application/xml or text/xml.",
            Self::Text => "Send text in UTF-8.",
        }
    }
}

impl BodyStep {
    /// Whether the step reads bodies of the message's media type; `length` is that of the body as
    /// it is known. `compress` sets `Vary` here.
    ///
    /// # Errors
    /// Fails if it refuses others.
    pub(crate) fn takes<'p: 'm, 'm>(
        &'p self,
        subject: Subject<'_, 'm>,
        edits: &mut Edits<'p>,
        length: BodyLength,
    ) -> Result<bool, Stop> {
        let takes = match &self.change {
            Change::JsonTemplate(_)
            | Change::JsonEdit(_)
            | Change::Mask(_)
            | Change::ThreatProtection(_) => Takes::Json,
            Change::ReplaceText(_) => Takes::Text,
            Change::JsonToXml(_) => Takes::Json,
            Change::XmlToJson(_) => Takes::Xml,
            Change::Compress(compress) => {
                let is_within = match length {
                    BodyLength::None => true,
                    BodyLength::Known(bytes) => {
                        (compress.min_bytes..=self.bytes_max).contains(&bytes)
                    }
                    BodyLength::Unknown => false,
                };
                return Ok(is_within && compress.takes(subject, edits));
            }
        };
        match takes.includes(subject.edited(edits).body_type()) {
            false if self.refuses_others => Err(Stop::WrongType(takes.refusal())),
            is_included => Ok(is_included),
        }
    }

    pub(crate) fn needs_json(&self) -> bool {
        match self.change {
            Change::JsonTemplate(_)
            | Change::JsonEdit(_)
            | Change::Mask(_)
            | Change::ThreatProtection(_)
            | Change::JsonToXml(_) => true,
            Change::ReplaceText(_) | Change::XmlToJson(_) | Change::Compress(_) => false,
        }
    }

    pub(crate) fn compresses(&self) -> bool {
        matches!(self.change, Change::Compress(_))
    }

    /// Number of parts that run one after the other, each on the result of the one before.
    pub(crate) fn parts(&self) -> usize {
        match &self.change {
            Change::JsonEdit(it) => it.edits.len(),
            _ => 1,
        }
    }

    /// Checks what the step reads besides the body.
    ///
    /// # Errors
    /// Fails if the step rejects the message.
    pub(crate) fn check_head(&self, subject: Subject<'_, '_>) -> Result<(), Stop> {
        match &self.change {
            Change::ThreatProtection(it) => {
                it.check_query(subject.message.query(), subject.scratch)
            }
            _ => Ok(()),
        }
    }

    /// The refusal of a body that is no JSON.
    pub(crate) fn not_json(&self, malformed: Malformed) -> Stop {
        match (&self.change, malformed.problem) {
            (Change::ThreatProtection(it), Problem::TooDeep) => it.too_deep(),
            (Change::ThreatProtection(it), Problem::TooManyItems) => it.too_many_items(),
            _ => not_json(malformed),
        }
    }

    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match &self.change {
            Change::JsonTemplate(it) => it.expressions(),
            Change::JsonEdit(it) => it.expressions().collect(),
            Change::Compress(compress) => vec![&compress.accepted],
            Change::Mask(_)
            | Change::ReplaceText(_)
            | Change::ThreatProtection(_)
            | Change::JsonToXml(_)
            | Change::XmlToJson(_) => Vec::new(),
        }
    }

    /// Runs one part on a body: appends the new one to `out`, or returns `None` if it stays as it
    /// is.
    ///
    /// # Errors
    /// Fails if the step rejects the message, or makes more than its bound.
    pub(crate) fn run<'m>(
        &'m self,
        body: Body<'m>,
        subject: Subject<'_, 'm>,
        edits: &Edits<'m>,
        making: Making<'_>,
    ) -> Result<Option<Changed>, Stop> {
        let (scratch, tools) = (subject.scratch, &mut *making.tools);
        let work = scratch.work();
        match &self.change {
            Change::JsonTemplate(it) => it.run(subject, edits, making.out),
            Change::JsonEdit(it) => it.run(body, subject, edits, making),
            Change::Mask(it) => it.run(body, making.out, work),
            Change::ReplaceText(it) => it.run(body.bytes, making.out, work),
            Change::ThreatProtection(it) => it.check(body, scratch).map(|()| None),
            Change::JsonToXml(convert) => match body.json {
                Some((view, root)) => convert.run(view, root, making.out, work, &mut tools.xml),
                None => Ok(None),
            },
            Change::XmlToJson(convert) => {
                match convert.run(body.bytes, making.out, work, &mut tools.xml) {
                    // The document itself declares another encoding than its head.
                    Err(Stop::WrongType(_)) if !self.refuses_others => Ok(None),
                    ran => ran,
                }
            }
            Change::Compress(it) => it.run(body.bytes, making.out, work, &mut tools.deflate),
        }
    }
}

/// The reason why a body is no JSON.
pub(crate) fn not_json(malformed: Malformed) -> Stop {
    Stop::NotWellFormed(format!("the body is not valid JSON: {malformed}").into())
}
