//! Runs the steps of a message once its body is whole.

use std::mem;

use tollgate_json::tape::{Bounds, Tape};

use super::{Given, Next, Stop, Wait};
use crate::body::{Body, Making, Tools, not_json};
use crate::edits::{Changed, Edits};
use crate::message::{BodyLength, Edited, Messages, Subject};
use crate::program::{Action, Step};
use crate::scope::Scratch;
use crate::value::{BYTES_MAX, Value};
use crate::work::Reading;

/// Memory that is kept of each buffer between two messages.
const KEPT_BYTES_MAX: usize = 256 * 1024;

/// Memory for bodies, reused: no allocation in the steady state.
#[derive(Debug, Default)]
pub struct Room {
    tape: Tape,
    /// Whether the tape is that of the present body.
    is_read: bool,
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

    /// Makes the body that the last step made the present one.
    fn take_spare(&mut self) -> Result<(), Stop> {
        if self.spare.len() > BYTES_MAX {
            return Err(Stop::TooLong);
        }
        mem::swap(&mut self.made, &mut self.spare);
        self.is_made = true;
        self.is_read = false;
        Ok(())
    }

    /// Drops the bodies, and frees what a large one has taken.
    pub fn reset(&mut self) {
        self.is_made = false;
        self.is_read = false;
        for buffer in [&mut self.made, &mut self.spare] {
            buffer.clear();
            buffer.shrink_to(KEPT_BYTES_MAX);
        }
        self.tape.shrink_to(KEPT_BYTES_MAX);
        self.tools.xml.shrink();
    }

    /// Runs the remaining steps of a message on its whole body. The body that they make is then in
    /// the room.
    ///
    /// # Errors
    /// Fails if a step rejects the message.
    pub fn run_remaining<'p>(
        &mut self,
        remaining: Remaining<'p>,
        messages: &impl Messages,
        body: &[u8],
        edits: &mut Edits<'p>,
        scratch: &mut Scratch,
    ) -> Result<Next, Stop> {
        self.reset();
        for (index, step) in remaining.steps.iter().enumerate() {
            scratch.clear();
            scratch.work().begin_step(remaining.first + index);
            let is_head_checked = index == 0 && remaining.is_head_checked;
            // A body that no step reads need not be well-formed.
            let runs = is_head_checked
                || step.is_decided_by_body()
                || runs_by_head(step, messages, edits, scratch)?;
            if !runs {
                continue;
            }
            let mut progress = Progress { step, part: 0 };
            while !progress.is_over() {
                let bytes = if self.is_made { &*self.made } else { body };
                let mut room_of_parts = PartRoom {
                    tape: &mut self.tape,
                    is_read: &mut self.is_read,
                    out: &mut self.spare,
                    scratch: &mut *scratch,
                    tools: &mut self.tools,
                    is_head_checked,
                };
                let ran = run_parts(&mut progress, messages, bytes, edits, &mut room_of_parts);
                match step.within_work(scratch, ran)? {
                    Ran::Responded(given) => return Ok(Next::Respond(given)),
                    Ran::Skipped => break,
                    Ran::Done(None) => {}
                    Ran::Done(Some(changed)) => {
                        edits.changed_body(changed);
                        self.take_spare()?;
                    }
                }
            }
        }
        Ok(Next::Go)
    }
}

/// The steps of a message that run on its whole body.
#[derive(Debug, Clone, Copy)]
pub struct Remaining<'p> {
    pub(crate) steps: &'p [Step],
    /// The place of the first of them in their list.
    pub(crate) first: usize,
    /// As [`Wait::is_head_checked`], for the first step.
    pub(crate) is_head_checked: bool,
}

impl Wait {
    /// Resumes counting the work of a message of which `body_bytes` have arrived; returns the steps
    /// from the one that waits for the body on. `steps` are those that [`run`](super::run) began.
    pub fn resume<'p>(
        &self,
        steps: &'p [Step],
        scratch: &Scratch,
        body_bytes: usize,
    ) -> Remaining<'p> {
        scratch.work().resume(self.spent, body_bytes);
        Remaining {
            steps: &steps[self.step..],
            first: self.step,
            is_head_checked: self.is_head_checked,
        }
    }
}

/// Whether a condition that reads only the head holds.
fn runs_by_head<'p>(
    step: &'p Step,
    messages: &impl Messages,
    edits: &Edits<'p>,
    scratch: &Scratch,
) -> Result<bool, Stop> {
    let message = messages.message();
    let subject = Subject {
        message: &message,
        body: Value::Absent,
        scratch,
    };
    step.within_work(scratch, step.runs(subject, edits))
}

/// A step, and the next of its parts.
struct Progress<'p> {
    step: &'p Step,
    part: usize,
}

impl Progress<'_> {
    fn is_over(&self) -> bool {
        self.part == self.step.parts()
    }

    /// Whether no part has run. The first decides for all: the next ones read another body.
    fn is_first(&self) -> bool {
        self.part == 0
    }
}

enum Ran {
    Responded(Given),
    /// The step does not run on this message.
    Skipped,
    Done(Option<Changed>),
}

/// Memory for the parts of a step: a tape of the body they read, and the body that one makes.
struct PartRoom<'r> {
    tape: &'r mut Tape,
    is_read: &'r mut bool,
    out: &'r mut Vec<u8>,
    scratch: &'r mut Scratch,
    /// What steps keep between two messages.
    tools: &'r mut Tools,
    /// As [`Wait::is_head_checked`].
    is_head_checked: bool,
}

/// Runs the next parts of the step on a body, up to the first that changes it or ends the step.
fn run_parts<'p>(
    progress: &mut Progress<'p>,
    messages: &impl Messages,
    bytes: &[u8],
    edits: &mut Edits<'p>,
    room: &mut PartRoom<'_>,
) -> Result<Ran, Stop> {
    let may_be_json = progress.step.needs_json() && !bytes.is_empty();
    let text = match may_be_json && is_of_json(messages, edits, room.scratch) {
        true => Some(read(progress, bytes, room)?),
        false => None,
    };
    let mut ran = Ran::Done(None);
    while !progress.is_over() && matches!(ran, Ran::Done(None)) {
        room.scratch.clear();
        room.out.clear();
        let body = PresentBody { bytes, text };
        ran = run_part(progress, messages, body, edits, room)?;
        room.scratch.work().check()?;
        progress.part += 1;
    }
    Ok(ran)
}

/// The body that a part reads, and its text if the tape is that of this body.
#[derive(Clone, Copy)]
struct PresentBody<'b> {
    bytes: &'b [u8],
    text: Option<&'b str>,
}

fn run_part<'p>(
    progress: &Progress<'p>,
    messages: &impl Messages,
    PresentBody { bytes, text }: PresentBody<'_>,
    edits: &mut Edits<'p>,
    room: &mut PartRoom<'_>,
) -> Result<Ran, Stop> {
    let step = progress.step;
    let view = text.map(|text| room.tape.view(text));
    let json = view.as_ref().and_then(|view| Some((view, view.root()?)));
    let message = messages.message();
    let subject = Subject {
        message: &message,
        body: json.map_or(Value::Absent, |(view, root)| Value::from_json(view, root)),
        scratch: &*room.scratch,
    };
    let is_unchecked = progress.is_first() && !room.is_head_checked;
    if is_unchecked && step.is_decided_by_body() && !step.runs(subject, edits)? {
        return Ok(Ran::Skipped);
    }
    match &step.action {
        Action::Respond(response) => Ok(Ran::Responded(response.give(subject, edits)?)),
        Action::Mock(mock) => Ok(match mock.give(subject, edits) {
            Some(given) => Ran::Responded(given),
            None => Ran::Done(None),
        }),
        Action::Body(change) => {
            let length = BodyLength::Known(bytes.len() as u64);
            if is_unchecked {
                change.check_head(subject)?;
            }
            if progress.is_first() {
                if bytes.is_empty() || !change.takes(subject, edits, length)? {
                    return Ok(Ran::Skipped);
                }
                if bytes.len() as u64 > change.bytes_max {
                    return Err(Stop::BodyTooLarge(change.bytes_max));
                }
            }
            let body = Body { bytes, json };
            let making = Making {
                part: progress.part,
                out: room.out,
                tools: room.tools,
            };
            change.run(body, subject, edits, making).map(Ran::Done)
        }
        action => action.run(subject, edits).map(|()| Ran::Done(None)),
    }
}

/// Reads a body for a part of a step, unless the tape is that of this body already, and counts the
/// work. Returns its text.
fn read<'b>(
    progress: &Progress<'_>,
    bytes: &'b [u8],
    room: &mut PartRoom<'_>,
) -> Result<&'b str, Stop> {
    let is_read = mem::take(room.is_read);
    let known = is_read.then(|| str::from_utf8(bytes).ok()).flatten();
    let text = match known {
        Some(text) => Ok(text),
        None => room.tape.read(bytes, Bounds::default()),
    };
    let text = text.map_err(|malformed| match &progress.step.action {
        Action::Body(step) => step.not_json(malformed),
        _ => not_json(malformed),
    })?;
    *room.is_read = true;
    // A body counts alike whether the step before has read it or not, as in a dry run.
    let read = Reading {
        bytes: bytes.len(),
        nodes: room.tape.nodes(),
        is_first: progress.is_first(),
    };
    room.scratch.work().charge_reading(read)?;
    Ok(text)
}

/// Whether the body of a message is JSON, by its head.
pub(crate) fn is_of_json(messages: &impl Messages, edits: &Edits<'_>, scratch: &Scratch) -> bool {
    let message = messages.message();
    let edited = Edited {
        message: &message,
        edits,
        body: Value::Absent,
        scratch,
    };
    edited.body_type().is_json
}
