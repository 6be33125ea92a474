//! Runs the steps of a list one by one, with the same code as gateways, and reports each.

use std::{iter, slice};

use tollgate_json::tape::{Bounds, Tape};

use super::Shown;
use crate::coding;
use crate::compile::Origin;
use crate::edits::Edits;
use crate::message::{BodyLength, Message, Messages, Subject};
use crate::program::{Action, Step};
use crate::run::body::{Remaining, Room, is_of_json};
use crate::run::{self, Given, Next, Stop};
use crate::scope::Scratch;
use crate::value::Value;

/// Why a step did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its condition is false.
    False,
    /// Its condition has no value.
    NoValue,
    /// A step before it responded or rejected the message.
    NotReached,
    /// It changes the body, and there is none.
    NoBody,
    /// It changes bodies of other media types.
    OtherType,
}

impl Reason {
    /// Returns the reason as a phrase.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::False => "the condition is false",
            Self::NoValue => "the condition has no value",
            Self::NotReached => "not reached",
            Self::NoBody => "no body",
            Self::OtherType => "other media type",
        }
    }
}

/// A step, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRow {
    /// JSON Pointer of the step from the configuration.
    pub pointer: String,
    /// The name of its policy.
    pub policy: &'static str,
    /// Why it did not run, if so.
    pub reason: Option<Reason>,
    /// The message after it, with at most 64 KiB of its head and of its body, if it ran and changed
    /// the message.
    pub after: Option<Shown>,
}

/// The steps of a message, and the message before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The message as the first step gets it, shown and cut like those after the steps: it differs
    /// from them only in what steps change.
    pub before: Shown,
    /// The steps, in the order in which they run.
    pub steps: Vec<StepRow>,
}

/// The steps of a message, in their order.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'p, 'o> {
    pub(super) steps: &'p [Step],
    pub(super) origins: &'o [Origin],
}

/// How the steps of a message ended.
#[derive(Debug)]
pub(super) enum End {
    Go,
    Given(Given),
    /// Rejected by the step with this pointer.
    Stop(Stop, String),
}

/// The body of a message while its steps run.
#[derive(Debug, Default)]
pub(super) struct BodyState {
    pub(super) bytes: Vec<u8>,
    pub(super) is_changed: bool,
    /// Whether its content coding is gone, as steps read bodies without one.
    pub(super) is_decoded: bool,
    /// Number of steps that have made another body of it.
    changes: u32,
    /// Maximum bytes of a body that steps read, beside their own bounds.
    bytes_max: u64,
    /// Bytes of the body as it arrived.
    arrived_bytes: usize,
    /// Whether a step has read it.
    is_read: bool,
}

impl BodyState {
    pub(super) fn new(bytes: Vec<u8>, bytes_max: Option<u64>) -> Self {
        Self {
            arrived_bytes: bytes.len(),
            bytes,
            is_changed: false,
            is_decoded: false,
            changes: 0,
            bytes_max: bytes_max.unwrap_or(u64::MAX),
            is_read: false,
        }
    }

    /// Whether a step has read it.
    pub(super) fn is_read(&self) -> bool {
        self.is_read
    }

    pub(super) fn length(&self) -> BodyLength {
        match self.bytes.len() {
            0 => BodyLength::None,
            bytes => BodyLength::Known(bytes as u64),
        }
    }
}

/// Runs the steps of a list. `source` makes the message with the present length of its body, `show`
/// shows it with the edits so far and the beginning of its body.
pub(super) fn run_list<'p, M: Messages>(
    list: List<'p, '_>,
    source: impl Fn(BodyLength) -> M,
    body: &mut BodyState,
    edits: &mut Edits<'p>,
    show: impl Fn(&Edits<'_>, &BodyState) -> Shown,
) -> (Ran, End) {
    let mut memory = Memory::default();
    let mut end = End::Go;
    let mut before = show(edits, body);
    let mut first = before.clone();
    first.cut_head();
    let rows = list.steps.iter().zip(list.origins).map(|(step, origin)| {
        let mut row = StepRow {
            pointer: origin.pointer.clone(),
            policy: origin.policy,
            reason: None,
            after: None,
        };
        if !matches!(end, End::Go) {
            row.reason = Some(Reason::NotReached);
            return row;
        }
        let source = source(body.length());
        let changes = body.changes;
        row.reason = reason(step, memory.scratch.spent(), &source, body, edits);
        match run_one(step, &source, body, edits, &mut memory) {
            Ok(Next::Respond(given)) => end = End::Given(given),
            Ok(Next::Go | Next::Wait(_)) => {}
            Err(stop) => end = End::Stop(stop, origin.pointer.clone()),
        }
        let after = show(edits, body);
        if row.reason.is_none() && (after != before || body.changes != changes) {
            let after = row.after.insert(after.clone());
            after.cut_head();
        }
        before = after;
        row
    });
    let steps = rows.collect();
    let before = first;
    (Ran { before, steps }, end)
}

#[derive(Default)]
struct Memory {
    room: Room,
    scratch: Scratch,
}

fn run_one<'p>(
    step: &'p Step,
    source: &impl Messages,
    body: &mut BodyState,
    edits: &mut Edits<'p>,
    memory: &mut Memory,
) -> Result<Next, Stop> {
    let Memory { room, scratch } = memory;
    let steps = slice::from_ref(step);
    scratch.clear();
    let mut remaining = Remaining {
        steps,
        first: 0,
        is_head_checked: false,
    };
    // All steps after the first that waits run on the whole body.
    if !body.is_read {
        let wait = match run::run(steps, &source.message(), edits, scratch)? {
            Next::Wait(wait) => wait,
            next => return Ok(next),
        };
        body.is_decoded = has_coding(&source.message())?;
        // Gateways read the body within the bound of the first step that waits for it.
        let bytes_max = wait.bytes_max.min(body.bytes_max);
        if body.bytes.len() as u64 > bytes_max {
            return Err(Stop::BodyTooLarge(bytes_max));
        }
        body.is_read = true;
        remaining = wait.resume(steps, scratch, body.arrived_bytes);
    }
    let next = room.run_remaining(remaining, source, &body.bytes, edits, scratch)?;
    if let Some(made) = room.made() {
        body.changes += u32::from(body.bytes != made);
        body.bytes = made.to_vec();
        body.is_changed = true;
    }
    Ok(next)
}

/// Whether a message names a content coding that gateways decode.
fn has_coding<'m>(message: &impl Message<'m>) -> Result<bool, Stop> {
    let (scratch, mut position) = (Scratch::default(), 0);
    let values = iter::from_fn(|| {
        let (next, value) = message.next_line("content-encoding", position, &scratch)?;
        position = next;
        Some(value)
    });
    let coding = coding::named(values).map_err(Stop::Coded)?;
    Ok(coding.is_some())
}

/// Returns why a step does not run, if so. What rejects the message is left to the step itself.
/// `spent` is the work of the steps before; that of finding the reason does not count.
fn reason<'p>(
    step: &'p Step,
    spent: usize,
    source: &impl Messages,
    body: &BodyState,
    edits: &mut Edits<'p>,
) -> Option<Reason> {
    let (scratch, mut tape) = (Scratch::default(), Tape::default());
    scratch.work().resume(spent, body.arrived_bytes);
    let reads_body = step.is_decided_by_body() && is_of_json(source, edits, &scratch);
    let view = match reads_body && !body.bytes.is_empty() {
        true => Some(tape.read(&body.bytes, Bounds::default()).ok()?),
        false => None,
    };
    let view = view.map(|text| tape.view(text));
    let json = view.as_ref().and_then(|view| Some((view, view.root()?)));
    let message = source.message();
    let subject = Subject {
        message: &message,
        body: json.map_or(Value::Absent, |(view, root)| Value::from_json(view, root)),
        scratch: &scratch,
    };
    if let Some(condition) = &step.condition {
        match condition.condition(&subject.edited(edits), &scratch) {
            Some(true) => {}
            Some(false) => return Some(Reason::False),
            None if step.action.runs_by_default() => {}
            None => return Some(Reason::NoValue),
        }
    }
    match &step.action {
        Action::Body(_) if body.bytes.is_empty() => Some(Reason::NoBody),
        Action::Body(change) => match change.takes(subject, edits, body.length()) {
            Ok(false) => Some(Reason::OtherType),
            Ok(true) | Err(_) => None,
        },
        _ => None,
    }
}
