//! Messages as the steps of a dry run see them.

use tollgate_json::tape::View;

use super::{Caller, Site};
use crate::message::{BodyLength, KeptNames, Message, Messages};
use crate::name::{Name, Source};
use crate::parameters::Parameters;
use crate::scope::{Scope, Scratch};
use crate::value::Value;

/// The value of `request.id` in a dry run.
pub const REQUEST_ID: &str = "00000000000000000000000000000000";

/// A field line: its name as sent, and its value.
pub type Field = (String, String);

/// Facts of the called version, the same for all messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) operation: Option<&'a str>,
    pub(super) now_s: i64,
}

impl Facts<'_> {
    fn value(&self, source: Source) -> Value<'_> {
        match source {
            Source::ApiName => Value::Text(self.site.api),
            Source::ApiVersion => Value::Text(self.site.version),
            Source::Operation => self.operation.map_or(Value::Absent, Value::Text),
            Source::Now => Value::Int(self.now_s),
            _ => Value::Absent,
        }
    }
}

/// A request.
#[derive(Clone, Copy)]
pub(super) struct RequestSource<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) method: &'a str,
    /// The path at the gateway as sent, without the query.
    pub(super) sent_path: &'a str,
    /// Path and query below the version, without the caller's credential.
    pub(super) below: &'a str,
    pub(super) parameters: &'a Parameters,
    /// Without the caller's credential and the portal's session.
    pub(super) fields: &'a [Field],
    pub(super) caller: &'a Caller,
    pub(super) claims: Option<&'a View<'a>>,
    pub(super) address: &'a str,
    pub(super) body_length: BodyLength,
}

impl RequestSource<'_> {
    fn split(&self) -> (&str, &str) {
        self.below.split_once('?').unwrap_or((self.below, ""))
    }
}

/// The message of a source.
#[derive(Clone, Copy)]
pub(super) struct Of<'m, S>(&'m S);

impl Messages for RequestSource<'_> {
    type Message<'m>
        = Of<'m, RequestSource<'m>>
    where
        Self: 'm;

    fn message<'m>(&'m self) -> Self::Message<'m> {
        Of(self)
    }
}

impl<'m> Message<'m> for Of<'m, RequestSource<'m>> {
    fn next_line(
        &self,
        name: &str,
        position: usize,
        scratch: &Scratch,
    ) -> Option<(usize, &'m [u8])> {
        next_line(self.0.fields, name, position, scratch)
    }

    fn query(&self) -> &'m [u8] {
        self.0.split().1.as_bytes()
    }

    fn fields_source(&self) -> Source {
        Source::RequestHeader
    }

    fn body_length(&self) -> BodyLength {
        self.0.body_length
    }
}

impl<'m> Scope<'m> for Of<'m, RequestSource<'m>> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        let source = self.0;
        let text = |text: &'m Option<String>| text.as_deref().map_or(Value::Absent, Value::Text);
        match name.source {
            Source::Method => Value::Text(source.method),
            Source::Path => {
                scratch.spend_read(source.sent_path.len());
                Value::Text(source.sent_path)
            }
            Source::Query => scratch.find_in_query(self.query(), &name.key),
            Source::RequestId => Value::Text(REQUEST_ID),
            Source::Address => Value::Text(source.address),
            Source::PathParameter => {
                let path = source.split().0.as_bytes();
                source.parameters.value(&name.key, path, scratch)
            }
            Source::Application => text(&source.caller.application),
            Source::Subscription => text(&source.caller.subscription),
            Source::Plan => text(&source.caller.plan),
            Source::Environment => Value::Text(source.caller.environment.word()),
            Source::Claim => {
                let root = source.claims.and_then(|view| Some((view, view.root()?)));
                let root = root.map(|(view, root)| Value::from_json(view, root));
                root.map_or(Value::Absent, |root| scratch.member(root, &name.key))
            }
            of => source.facts.value(of),
        }
    }
}

/// The refusal that the steps of `error` see.
#[derive(Clone, Copy)]
pub(super) struct ErrorFacts<'a> {
    pub(super) code: &'static str,
    pub(super) status: u16,
    pub(super) detail: &'a str,
}

/// A response, or that of a refusal.
#[derive(Clone, Copy)]
pub(super) struct AnswerSource<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) kept: (&'a [Name], &'a KeptNames),
    pub(super) status: u16,
    pub(super) fields: &'a [Field],
    pub(super) error: Option<ErrorFacts<'a>>,
    pub(super) body_length: BodyLength,
}

impl Messages for AnswerSource<'_> {
    type Message<'m>
        = Of<'m, AnswerSource<'m>>
    where
        Self: 'm;

    fn message<'m>(&'m self) -> Self::Message<'m> {
        Of(self)
    }
}

impl<'m> Message<'m> for Of<'m, AnswerSource<'m>> {
    fn next_line(
        &self,
        name: &str,
        position: usize,
        scratch: &Scratch,
    ) -> Option<(usize, &'m [u8])> {
        next_line(self.0.fields, name, position, scratch)
    }

    fn query(&self) -> &'m [u8] {
        b""
    }

    fn fields_source(&self) -> Source {
        Source::ResponseHeader
    }

    fn body_length(&self) -> BodyLength {
        self.0.body_length
    }
}

impl<'m> Scope<'m> for Of<'m, AnswerSource<'m>> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        let source = self.0;
        let error = source.error.as_ref();
        let of_error = |value: fn(&ErrorFacts<'m>) -> Value<'m>| error.map_or(Value::Absent, value);
        match name.source {
            Source::Status => Value::Int(source.status.into()),
            Source::ErrorCode => of_error(|it| Value::Text(it.code)),
            Source::ErrorStatus => of_error(|it| Value::Int(it.status.into())),
            Source::ErrorDetail => of_error(|it| Value::Text(it.detail)),
            of => {
                let (names, kept) = source.kept;
                let kept = kept.value(names, name, scratch);
                kept.unwrap_or_else(|| source.facts.value(of))
            }
        }
    }
}

fn next_line<'f>(
    fields: &'f [Field],
    name: &str,
    position: usize,
    scratch: &Scratch,
) -> Option<(usize, &'f [u8])> {
    let rest = fields.get(position..)?;
    let found = rest
        .iter()
        .position(|(of, _)| of.eq_ignore_ascii_case(name));
    scratch.spend_lines(found.map_or(rest.len(), |index| index + 1), 0);
    let index = position + found?;
    Some((index + 1, fields[index].1.as_bytes()))
}
