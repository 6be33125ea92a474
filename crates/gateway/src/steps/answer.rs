//! What steps of responses and refusals read: the response's head, the refusal, and what was kept
//! of the request.

use tollgate_mediation::message::{BodyLength, KeptNames, Message, Messages};
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;

use super::Shape;
use crate::exchange::{ErrorSteps, Exchange};
use crate::refusal::Refused;
use crate::reply::{Body, Reply};
use crate::snapshot::policies::Steps;
use crate::wire::connection as wire;

/// A response as its steps see it.
#[derive(Clone, Copy)]
pub(super) struct AnswerMessage<'m> {
    steps: &'m Steps,
    /// Names that were kept of the request, and their values.
    kept: (&'m [Name], &'m KeptNames),
    reply: &'m Reply<'m>,
    began_us: i64,
    length: BodyLength,
    error: Option<ErrorFacts<'m>>,
}

/// What steps can read of a refusal.
#[derive(Clone, Copy)]
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
    /// The response to a request of this shape.
    pub(super) fn new(shape: &'m Shape<'_>, reply: &'m Reply<'m>, exchange: &Exchange<'_>) -> Self {
        Self {
            steps: shape.steps,
            kept: (&shape.steps.program.kept, &shape.kept),
            reply,
            began_us: exchange.began_us(),
            length: length(reply, exchange.is_head()),
            error: None,
        }
    }

    /// The response of a refusal; steps do not read its body.
    pub(super) fn of_error(
        error_steps: &'m ErrorSteps,
        reply: &'m Reply<'m>,
        exchange: &Exchange<'_>,
        refused: &'m Refused,
    ) -> Self {
        Self {
            steps: &error_steps.steps,
            kept: (&error_steps.steps.program.kept, &error_steps.kept),
            reply,
            began_us: exchange.began_us(),
            length: BodyLength::None,
            error: Some(ErrorFacts::new(refused)),
        }
    }
}

/// The length of a response's body, as far as its head declares it.
fn length(reply: &Reply<'_>, is_head: bool) -> BodyLength {
    if is_head || matches!(reply.status(), 204 | 304) {
        return BodyLength::None;
    }
    match &reply.body {
        Body::Passed(passed) => match passed.upstream.head().framing.into() {
            wire::BodyLength::None | wire::BodyLength::Known(0) => BodyLength::None,
            wire::BodyLength::Known(bytes) => BodyLength::Known(bytes),
            wire::BodyLength::Unknown => BodyLength::Unknown,
        },
        body => match body.bytes().len() as u64 {
            0 => BodyLength::None,
            bytes => BodyLength::Known(bytes),
        },
    }
}

impl Messages for AnswerMessage<'_> {
    type Message<'m>
        = AnswerMessage<'m>
    where
        Self: 'm;

    fn message<'m>(&'m self) -> AnswerMessage<'m> {
        *self
    }
}

impl<'m> Message<'m> for AnswerMessage<'m> {
    fn next_line(
        &self,
        name: &str,
        position: usize,
        scratch: &Scratch,
    ) -> Option<(usize, &'m [u8])> {
        let mut visited = 0;
        let found = self
            .reply
            .next_line(name.as_bytes(), position, &mut visited);
        let end = found.map_or(self.reply.head.len(), |(next, _)| next);
        scratch.spend_lines(visited, end - position);
        found
    }

    fn query(&self) -> &'m [u8] {
        b""
    }

    fn fields_source(&self) -> Source {
        Source::ResponseHeader
    }

    fn body_length(&self) -> BodyLength {
        self.length
    }
}

impl<'m> Scope<'m> for AnswerMessage<'m> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        let error = self.error.as_ref();
        let of_error = |value: fn(&ErrorFacts<'m>) -> Value<'m>| error.map_or(Value::Absent, value);
        match name.source {
            Source::Status => Value::Int(self.reply.status().into()),
            Source::ErrorCode => of_error(|it| Value::Text(it.code)),
            Source::ErrorStatus => of_error(|it| Value::Int(it.status.into())),
            Source::ErrorDetail => of_error(|it| Value::Text(it.detail)),
            source => {
                let (names, kept) = self.kept;
                let kept = kept.value(names, name, scratch);
                kept.unwrap_or_else(|| self.steps.value(source, self.began_us))
            }
        }
    }
}
