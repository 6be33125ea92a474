//! Runs the steps of a request or response on a body.

use serde_json::{Value as Json, json};
use tollgate_mediation::compile::compile;
use tollgate_mediation::edits::Edits;
use tollgate_mediation::message::{BodyLength, Message, Messages};
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::program::Step;
use tollgate_mediation::run::body::Room;
use tollgate_mediation::run::{Next, Stop, run};
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;
use tollgate_model::api::{Configuration, Kind};

/// The head of a message.
pub(crate) struct Head {
    pub(crate) content_type: Option<&'static str>,
    pub(crate) query: Vec<u8>,
    pub(crate) has_body: bool,
    /// Number of field lines `x-a: 1` before that of the media type.
    pub(crate) lines: usize,
}

impl Head {
    pub(crate) const JSON: Self = Self {
        content_type: Some("application/json"),
        query: Vec::new(),
        has_body: true,
        lines: 0,
    };
}

pub(crate) struct Seen<'m>(&'m Head);

impl<'m> Scope<'m> for Seen<'m> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        match name.source {
            Source::Query => scratch.find_in_query(&self.0.query, &name.key),
            Source::Plan => Value::Text("gold"),
            Source::Now => Value::Int(1_798_156_800),
            _ => Value::Absent,
        }
    }
}

impl<'m> Message<'m> for Seen<'m> {
    fn next_line(
        &self,
        name: &str,
        position: usize,
        scratch: &Scratch,
    ) -> Option<(usize, &'m [u8])> {
        let Head {
            content_type,
            lines,
            ..
        } = *self.0;
        let line = |index| match content_type {
            Some(value) if index == lines => ("content-type", value),
            _ => ("x-a", "1"),
        };
        let mut positions = position..lines + usize::from(content_type.is_some());
        let found = positions.find(|&index| line(index).0.eq_ignore_ascii_case(name));
        scratch.spend_lines(found.map_or(positions.end, |at| at + 1) - position, 0);
        found.map(|index| (index + 1, line(index).1.as_bytes()))
    }

    fn query(&self) -> &'m [u8] {
        &self.0.query
    }

    fn fields_source(&self) -> Source {
        Source::RequestHeader
    }

    fn body_length(&self) -> BodyLength {
        match self.0.has_body {
            true => BodyLength::Unknown,
            false => BodyLength::None,
        }
    }
}

impl Messages for Head {
    type Message<'m> = Seen<'m>;

    fn message<'m>(&'m self) -> Seen<'m> {
        Seen(self)
    }
}

/// Compiles steps of a request, or of a response.
pub(crate) fn compiled(list: &str, steps: &Json) -> Vec<Step> {
    let configuration = json!({ "policies": { list: steps }, "upstream": { "url": "http://a" } });
    let configuration: Configuration = serde_json::from_value(configuration).expect("steps");
    let compiled = compile(&configuration, Kind::Rest).expect("steps without a fault");
    let bytes = compiled.to_bytes().expect("plain data");
    let stored = tollgate_mediation::program::Compiled::from_bytes(&bytes);
    let mut compiled = stored.expect("stored steps").unwrap_or_default();
    let program = compiled.programs.remove(0);
    match list {
        "request" => program.request,
        _ => program.response,
    }
}

/// Memory that is reused.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) room: Room,
    pub(crate) scratch: Scratch,
}

impl Memory {
    /// Runs steps on a message; the body that they made is in the room.
    pub(crate) fn run<'p>(
        &mut self,
        steps: &'p [Step],
        head: &Head,
        body: &[u8],
    ) -> Result<Edits<'p>, Stop> {
        let mut edits = Edits::default();
        self.scratch.reset();
        let in_head = run(steps, &head.message(), &mut edits, &self.scratch)?;
        match in_head {
            Next::Wait(wait) => {
                let Self { room, scratch } = self;
                let remaining = wait.resume(steps, scratch, body.len());
                room.run_remaining(remaining, head, body, &mut edits, scratch)?;
            }
            next => {
                assert!(matches!(next, Next::Go), "{next:?}");
                self.room = Room::default();
            }
        }
        Ok(edits)
    }

    /// Runs steps on a JSON body; returns the new one.
    pub(crate) fn made(&mut self, steps: &[Step], body: &[u8]) -> Result<Option<&[u8]>, Stop> {
        self.run(steps, &Head::JSON, body)?;
        Ok(self.room.made())
    }
}
