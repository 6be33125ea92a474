//! What steps of responses and refusals read: the response's head, the refusal, and what was kept
//! of the request.

use tollgate_mediation::message::{BodyLength, KeptNames, Message};
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;

use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::policies::Steps;

/// A response as its steps see it.
pub(super) struct AnswerMessage<'m> {
    steps: &'m Steps,
    /// Names that were kept of the request, and their values.
    kept: (&'m [Name], &'m KeptNames),
    reply: &'m Reply<'m>,
    began_us: i64,
    error: Option<ErrorFacts<'m>>,
}

/// What steps can read of a refusal.
pub(super) struct ErrorFacts<'m> {
    code: &'static str,
    status: u16,
    detail: &'m str,
}

impl<'m> ErrorFacts<'m> {
    pub(super) fn new(refused: &'m Refused) -> Self {
        let facts = refused.refusal.facts();
        Self {
            code: facts.code,
            status: facts.status,
            detail: refused.detail(),
        }
    }
}

impl<'m> AnswerMessage<'m> {
    pub(super) fn new(
        steps: &'m Steps,
        kept: (&'m [Name], &'m KeptNames),
        (reply, began_us): (&'m Reply<'m>, i64),
    ) -> Self {
        Self {
            steps,
            kept,
            reply,
            began_us,
            error: None,
        }
    }

    pub(super) fn of_error(self, error: ErrorFacts<'m>) -> Self {
        let error = Some(error);
        Self { error, ..self }
    }
}

impl<'m> Message<'m> for AnswerMessage<'m> {
    fn next_line(&self, name: &str, position: usize) -> Option<(usize, &'m [u8])> {
        let mut lines = self.reply.lines().enumerate().skip(position);
        let is_named = |of: &[u8]| of.eq_ignore_ascii_case(name.as_bytes());
        let (index, (_, value)) = lines.find(|(_, (of, _))| is_named(of))?;
        Some((index + 1, value))
    }

    fn query(&self) -> &'m [u8] {
        b""
    }

    fn fields_source(&self) -> Source {
        Source::ResponseHeader
    }

    fn body_length(&self) -> BodyLength {
        BodyLength::None
    }
}

impl<'m> Scope<'m> for AnswerMessage<'m> {
    fn value(&self, name: &'m Name, _: &'m Scratch) -> Value<'m> {
        let error = self.error.as_ref();
        let of_error = |value: fn(&ErrorFacts<'m>) -> Value<'m>| error.map_or(Value::Absent, value);
        match name.source {
            Source::Status => Value::Int(self.reply.status().into()),
            Source::ErrorCode => of_error(|it| Value::Text(it.code)),
            Source::ErrorStatus => of_error(|it| Value::Int(it.status.into())),
            Source::ErrorDetail => of_error(|it| Value::Text(it.detail)),
            source => {
                let (names, kept) = self.kept;
                let kept = kept.value(names, name);
                kept.unwrap_or_else(|| self.steps.value(source, self.began_us))
            }
        }
    }
}
