//! Runs the steps of a message once its body is whole.

use std::mem;

use tollgate_soap::tape::{Bounds, Malformed, Tape};

use super::{Given, Next, Stop, Wait};
use crate::body::{Body, Changed, Tools, is_json};
use crate::edits::Edits;
use crate::message::{BodyLength, Edited, Messages, Subject};
use crate::program::{Action, Step};
use crate::scope::Scratch;
use crate::value::{BYTES_MAX, Value};

/// Memory that is kept of each buffer between two messages.
const KEPT_BYTES_MAX: usize = 256 * 1024;

/// Memory for bodies, reused: no allocation in the steady state.
#[derive(Debug, Default)]
pub struct Room {
    tape: Tape,
    /// The body that the last step made, if `is_made`.
    made: Vec<u8>,
    is_made: bool,
    /// The body that the next step makes.
    spare: Vec<u8>,
    tools: Tools,
}

impl Room {
    /// Returns the body that the steps made; `None` if they left it as it was.
    #[must_use]
    pub fn made(&self) -> Option<&[u8]> {
        self.is_made.then_some(&*self.made)
    }

    fn reset(&mut self) {
        self.is_made = false;
        for buffer in [&mut self.made, &mut self.spare] {
            buffer.clear();
            buffer.shrink_to(KEPT_BYTES_MAX);
        }
    }
}

/// Runs the steps from the one that waits for the body on. The body that they make is in the room.
///
/// # Errors
/// Fails if a step rejects the message.
pub fn run_body<'p>(
    (steps, wait): (&'p [Step], Wait),
    messages: &impl Messages,
    body: &[u8],
    edits: &mut Edits<'p>,
    (room, scratch): (&mut Room, &mut Scratch),
) -> Result<Next, Stop> {
    room.reset();
    for step in &steps[wait.step..] {
        scratch.reset();
        let Room {
            tape,
            made,
            is_made,
            spare,
            tools,
        } = room;
        let bytes = if *is_made { &**made } else { body };
        spare.clear();
        let ran = run_step(step, messages, bytes, edits, (tape, spare, tools, scratch))?;
        match ran {
            Ran::Responded(given) => return Ok(Next::Respond(given)),
            Ran::Done(None) => {}
            Ran::Done(Some(changed)) => {
                if spare.len() > BYTES_MAX {
                    return Err(Stop::TooLong);
                }
                edits.changed_body(changed);
                mem::swap(made, spare);
                *is_made = true;
            }
        }
    }
    Ok(Next::Go)
}

enum Ran {
    Responded(Given),
    Done(Option<Changed>),
}

/// Memory for one step: a tape of the body it reads, the body it makes, and what it keeps between
/// two messages.
type StepRoom<'r> = (&'r mut Tape, &'r mut Vec<u8>, &'r mut Tools, &'r Scratch);

fn run_step<'p>(
    step: &'p Step,
    messages: &impl Messages,
    bytes: &[u8],
    edits: &mut Edits<'p>,
    (tape, out, tools, scratch): StepRoom<'_>,
) -> Result<Ran, Stop> {
    let view = match step.needs_json() && !bytes.is_empty() && is_of_json(messages, edits) {
        true => {
            let text = tape.read(bytes, Bounds::default()).map_err(not_json)?;
            Some(tape.view(text))
        }
        false => None,
    };
    let json = view.as_ref().and_then(|view| Some((view, view.root()?)));
    let message = messages.message();
    let subject = Subject {
        message: &message,
        body: json.map_or(Value::Absent, |(view, root)| Value::from_json(view, root)),
        scratch,
    };
    if !step.runs(subject, edits) {
        return Ok(Ran::Done(None));
    }
    match &step.action {
        Action::Respond(response) => Ok(Ran::Responded(response.give(subject, edits)?)),
        Action::Mock(mock) => Ok(match mock.give(subject, edits) {
            Some(given) => Ran::Responded(given),
            None => Ran::Done(None),
        }),
        Action::Body(change) => {
            let length = BodyLength::Known(bytes.len() as u64);
            if bytes.is_empty() || !change.takes(subject, edits, length)? {
                return Ok(Ran::Done(None));
            }
            if bytes.len() as u64 > change.bytes_max {
                return Err(Stop::BodyTooLarge(change.bytes_max));
            }
            let body = Body { bytes, json };
            let room = (out, tools);
            change.run(body, subject, edits, room).map(Ran::Done)
        }
        action => action.run(subject, edits).map(|()| Ran::Done(None)),
    }
}

/// Whether the body of a message is JSON, by its head.
fn is_of_json(messages: &impl Messages, edits: &Edits<'_>) -> bool {
    let message = messages.message();
    let edited = Edited {
        message: &message,
        edits,
        body: Value::Absent,
    };
    is_json(edited.media_type())
}

/// The reason why a body is no JSON.
fn not_json(malformed: Malformed) -> Stop {
    Stop::NotWellFormed(format!("the body is no JSON: {malformed}").into())
}
