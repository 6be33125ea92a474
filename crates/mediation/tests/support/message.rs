//! A response with a request behind it, from lists of field lines, and steps that run on it.

use serde_json::{Value as Json, json};
use tollgate_mediation::compile::compile;
use tollgate_mediation::edits::Edits;
use tollgate_mediation::message::{BodyLength, Message, Messages};
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::program::Program;
use tollgate_mediation::run::body::Room;
use tollgate_mediation::run::{Next, Stop, run};
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;
use tollgate_model::api::{Configuration, Kind};

/// A response: its field lines, those of its request, and the length its head declares.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) fields: Vec<(&'static str, &'static str)>,
    pub(crate) request: Vec<(&'static str, &'static str)>,
    pub(crate) length: BodyLength,
}

fn lines<'m>(
    fields: &'m [(&'static str, &'static str)],
    name: &str,
) -> impl Iterator<Item = &'m [u8]> + Clone {
    let fields = fields.iter().filter(move |it| it.0 == name);
    fields.map(|it| it.1.as_bytes())
}

impl<'m> Scope<'m> for &'m Sample {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        match name.source {
            Source::RequestHeader => scratch.join_lines(lines(&self.request, &name.key)),
            Source::ResponseHeader => scratch.join_lines(lines(&self.fields, &name.key)),
            _ => Value::Absent,
        }
    }
}

impl<'m> Message<'m> for &'m Sample {
    fn next_line(&self, name: &str, position: usize, _: &Scratch) -> Option<(usize, &'m [u8])> {
        let fields = self.fields.iter().enumerate().skip(position);
        let mut fields = fields.filter(|(_, it)| it.0 == name);
        fields.next().map(|(at, it)| (at + 1, it.1.as_bytes()))
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

impl Messages for Sample {
    type Message<'m> = &'m Self;

    fn message<'m>(&'m self) -> Self::Message<'m> {
        self
    }
}

/// What steps made of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// Whether the head alone decided.
    pub(crate) is_of_head: bool,
    /// The body, if it changed.
    pub(crate) body: Option<Vec<u8>>,
    /// The field lines that are set.
    pub(crate) fields: Vec<(String, String)>,
}

/// Compiles steps of responses.
pub(crate) fn response(steps: &Json) -> Program {
    let configuration = json!({ "policies": { "response": steps } });
    let configuration: Configuration = serde_json::from_value(configuration).expect("steps");
    let mut compiled = compile(&configuration, Kind::Rest).expect("valid steps");
    compiled.programs.remove(0)
}

/// Runs the steps of a response on a body.
pub(crate) fn run_response(
    program: &Program,
    sample: &Sample,
    body: &[u8],
    room: &mut Room,
) -> Result<Made, Stop> {
    let (mut edits, mut scratch) = (Edits::default(), Scratch::default());
    let steps = &program.response;
    let next = run(steps, &sample.message(), &mut edits, &Scratch::default())?;
    let mut is_of_head = true;
    if let Next::Wait(wait) = next {
        is_of_head = false;
        let remaining = wait.resume(steps, &scratch, body.len());
        room.run_remaining(remaining, sample, body, &mut edits, &mut scratch)?;
    }
    let fields = edits.fields();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    Ok(Made {
        is_of_head,
        body: room.made().filter(|_| !is_of_head).map(<[u8]>::to_vec),
        fields: fields.map(|it| (it.0.to_owned(), text(it.1))).collect(),
    })
}
