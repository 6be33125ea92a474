//! What steps of requests read: the caller's head without credential and session, the caller, the
//! API.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tollgate_http1::head::Known;
use tollgate_http1::view::Line;
use tollgate_json::tape::{Bounds, Tape, View};
use tollgate_mediation::message::{BodyLength, Message, Messages};
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::program::Program;
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;

use crate::authorize::Allowed;
use crate::exchange::Exchange;
use crate::snapshot::policies::Steps;
use crate::wire::connection as wire;
use crate::wire::session_cookie;

/// A request as its steps see it.
#[derive(Clone, Copy)]
pub(super) struct RequestMessage<'m> {
    steps: &'m Steps,
    allowed: &'m Allowed<'m>,
    exchange: &'m Exchange<'m>,
    claims: Option<&'m View<'m>>,
    /// Path and query below the version, without the credential.
    below: &'m [u8],
}

impl<'m> RequestMessage<'m> {
    pub(super) fn new(
        steps: &'m Steps,
        allowed: &'m Allowed<'m>,
        exchange: &'m Exchange<'m>,
        claims: Option<&'m View<'m>>,
        below: &'m [u8],
    ) -> Self {
        Self {
            steps,
            allowed,
            exchange,
            claims,
            below,
        }
    }

    /// Path and query below the version.
    fn split(&self) -> (&'m [u8], &'m [u8]) {
        let end = memchr::memchr(b'?', self.below).unwrap_or(self.below.len());
        let query = self.below.get(end + 1..).unwrap_or_default();
        (&self.below[..end], query)
    }

    /// Whether a field line is hidden from expressions.
    fn hides(&self, line: Line<'_>) -> bool {
        let lines = self.exchange.head().lines();
        let credentials = self.allowed.caller().carried().lines(lines);
        credentials.contains(&line.line)
            || line.known == Known::Cookie && session_cookie::names_session(line.value())
    }
}

impl Messages for RequestMessage<'_> {
    type Message<'m>
        = RequestMessage<'m>
    where
        Self: 'm;

    fn message<'m>(&'m self) -> RequestMessage<'m> {
        *self
    }
}

impl<'m> Message<'m> for RequestMessage<'m> {
    fn next_line(
        &self,
        name: &str,
        position: usize,
        scratch: &Scratch,
    ) -> Option<(usize, &'m [u8])> {
        let lines = self.exchange.head().lines();
        let (mut visited, mut bytes) = (0, 0);
        let mut positions = position..lines.iter().len();
        let found = positions.find_map(|index| {
            let line = lines.get(index);
            visited += 1;
            if !line.is(name.as_bytes()) {
                return None;
            }
            bytes += line.value().len();
            (!self.hides(line)).then(|| (index + 1, line.value()))
        });
        scratch.spend_lines(visited, bytes);
        found
    }

    fn query(&self) -> &'m [u8] {
        self.split().1
    }

    fn fields_source(&self) -> Source {
        Source::RequestHeader
    }

    fn body_length(&self) -> BodyLength {
        match self.exchange.body_length() {
            wire::BodyLength::None | wire::BodyLength::Known(0) => BodyLength::None,
            wire::BodyLength::Known(bytes) => BodyLength::Known(bytes),
            wire::BodyLength::Unknown => BodyLength::Unknown,
        }
    }
}

impl<'m> Scope<'m> for RequestMessage<'m> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        let head = self.exchange.head();
        let caller = self.allowed.caller();
        match name.source {
            Source::Method => Value::from_bytes(head.method()),
            Source::Path => {
                let path = head.target().split(|&byte| byte == b'?').next();
                let path = path.unwrap_or_default();
                scratch.spend_read(path.len());
                Value::from_bytes(path)
            }
            Source::Query => scratch.find_in_query(self.query(), &name.key),
            Source::RequestId => Value::Text(self.exchange.id().text()),
            Source::Address => scratch.display(self.exchange.address()),
            Source::PathParameter => {
                let path = self.split().0;
                self.steps.parameters().value(&name.key, path, scratch)
            }
            Source::Application => {
                let application = caller.application();
                application.map_or(Value::Absent, |id| scratch.display(id))
            }
            Source::Subscription => {
                let subscription = self.allowed.subscription();
                subscription.map_or(Value::Absent, |it| scratch.display(it.id))
            }
            Source::Plan => {
                let subscription = self.allowed.subscription();
                subscription.map_or(Value::Absent, |it| Value::Text(&it.plan))
            }
            Source::Environment => Value::Text(caller.environment().word()),
            Source::Claim => {
                let root = self.claims.and_then(|view| Some((view, view.root()?)));
                let root = root.map(|(view, root)| Value::from_json(view, root));
                root.map_or(Value::Absent, |root| scratch.member(root, &name.key))
            }
            source => self.steps.value(source, self.exchange.began_us()),
        }
    }
}

/// The claims of a call's signed token.
pub(super) struct Claims {
    text: String,
    tape: Tape,
}

impl Claims {
    pub(super) fn view(&self) -> View<'_> {
        self.tape.view(&self.text)
    }
}

/// Maximum bytes of claims that steps can read.
const CLAIMS_BYTES_MAX: usize = 16 * 1024;

/// Reads the claims of the call's token, which `authenticate` has verified, if steps read any.
/// `None` for other credentials.
pub(super) fn claims(
    program: &Program,
    allowed: &Allowed<'_>,
    exchange: &Exchange<'_>,
) -> Option<Claims> {
    if !program.reads_claims {
        return None;
    }
    let token = allowed.caller().signed_token(exchange.head().lines())?;
    let mut parts = token.split(|&byte| byte == b'.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    let json = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let bounds = Bounds {
        bytes_max: CLAIMS_BYTES_MAX,
        ..Bounds::default()
    };
    let mut tape = Tape::default();
    let text = tape.read(&json, bounds).ok()?.to_owned();
    Some(Claims { text, tape })
}
