//! Runs the steps of a message. Those that need only its head run in [`run`]; from the first that
//! needs the body on, they wait for it and run in [`body`].

pub mod body;
mod rewritten;

use tollgate_model::path::Reading;
use tollgate_model::policies::Mode;

use crate::edits::Edits;
use crate::message::{BodyLength, KeptNames, Message, Subject};
use crate::name::Name;
pub use crate::outcome::{Given, Next, Stop, Wait};
use crate::program::{Action, Pattern, Response, Step};
use crate::scope::Scratch;
use crate::text::{Rendered, Template};
use crate::value::Value;

/// Runs the steps of a message until the first that needs its body.
///
/// Conditions that read only the head are judged here, and steps that read other media types are
/// skipped, so that a body that no step reads need not be whole.
///
/// # Errors
/// Fails if a step rejects the message.
pub fn run<'p: 'm, 'm>(
    steps: &'p [Step],
    message: &dyn Message<'m>,
    edits: &mut Edits<'p>,
    scratch: &'m Scratch,
) -> Result<Next, Stop> {
    let subject = Subject {
        message,
        body: Value::Absent,
        scratch,
    };
    for (index, step) in steps.iter().enumerate() {
        scratch.work().begin_step(index);
        let next = step.within_work(scratch, run_on_head(step, index, subject, edits))?;
        if let Some(next) = next {
            return Ok(next);
        }
    }
    Ok(Next::Go)
}

/// Runs one step on the head of a message; `None` if the steps after it run.
fn run_on_head<'p: 'm, 'm>(
    step: &'p Step,
    index: usize,
    subject: Subject<'_, 'm>,
    edits: &mut Edits<'p>,
) -> Result<Option<Next>, Stop> {
    let message = subject.message;
    let wait = |is_head_checked| {
        Some(Next::Wait(Wait {
            step: index,
            is_head_checked,
            bytes_max: step.bytes_max(),
            spent: subject.scratch.spent(),
        }))
    };
    let has_body = message.body_length() != BodyLength::None;
    let evaluates_body =
        step.evaluates_body() && has_body && subject.edited(edits).body_type().is_json;
    if evaluates_body && step.is_decided_by_body() {
        return Ok(wait(false));
    }
    if let (Action::Body(body), true) = (&step.action, step.is_decided_by_body())
        && !has_body
    {
        // Whether it would run is not known.
        let takes = body.takes(subject, edits, message.body_length());
        edits.would_change_body |= takes.unwrap_or(false);
    }
    if !step.runs(subject, edits)? {
        return Ok(None);
    }
    match &step.action {
        Action::Respond(_) | Action::Mock(_) if evaluates_body => return Ok(wait(true)),
        Action::Respond(response) => {
            return Ok(Some(Next::Respond(response.give(subject, edits)?)));
        }
        Action::Mock(mock) => return Ok(mock.give(subject, edits).map(Next::Respond)),
        Action::Body(body) => {
            body.check_head(subject)?;
            let takes = body.takes(subject, edits, message.body_length());
            if !has_body {
                // There is no body that could be refused.
                edits.would_change_body |= takes.unwrap_or(false);
            } else if takes? {
                return Ok(wait(true));
            }
        }
        _ if evaluates_body => return Ok(wait(true)),
        action => action.run(subject, edits)?,
    }
    Ok(None)
}

/// Keeps what later steps read of a request. The work has a budget of its own: it depends on the
/// head and the names, not on what the steps before have spent.
///
/// # Errors
/// Fails if the work is exceeded: names without a value would be mistaken for those that the
/// request does not have, also in the key of a stored response.
pub fn keep<'m>(
    names: &'m [Name],
    message: &dyn Message<'m>,
    edits: &Edits<'m>,
    scratch: &'m mut Scratch,
) -> Result<KeptNames, Stop> {
    scratch.reset();
    let scratch = &*scratch;
    let subject = Subject {
        message,
        body: Value::Absent,
        scratch,
    };
    let kept = KeptNames::new(names, &subject.edited(edits), scratch);
    scratch.work().check()?;
    match scratch.is_exhausted() {
        true => Err(Stop::TooLong),
        false => Ok(kept),
    }
}

impl Step {
    /// Whether the condition holds. Responses are given, values masked and threats searched unless
    /// the condition is false: for them no value is not the safe side.
    ///
    /// # Errors
    /// Fails if the condition exceeds the work of the message.
    fn runs<'m>(&'m self, subject: Subject<'_, 'm>, edits: &Edits<'m>) -> Result<bool, Stop> {
        let Some(condition) = &self.condition else {
            return Ok(true);
        };
        let holds = condition.condition(&subject.edited(edits), subject.scratch);
        subject.scratch.work().check()?;
        Ok(holds.unwrap_or(self.action.runs_by_default()))
    }

    /// Returns the result of the step, or its refusal once the work of the message is exceeded:
    /// values that it made since then are incomplete.
    fn within_work<T>(&self, scratch: &Scratch, result: Result<T, Stop>) -> Result<T, Stop> {
        match scratch.work().is_exceeded() {
            true => Err(Stop::TooMuchWork(Some(self.pointer.clone()))),
            false => result,
        }
    }
}

impl Action {
    fn run<'p: 'm, 'm>(
        &'p self,
        subject: Subject<'_, 'm>,
        edits: &mut Edits<'p>,
    ) -> Result<(), Stop> {
        match self {
            Self::SetHeader(name, value, mode) => {
                set_header(name, value, *mode, subject, edits)?;
            }
            Self::RemoveHeader(patterns) => {
                for pattern in patterns {
                    edits.fields.remove_all(pattern, Pattern::is_header);
                }
            }
            Self::RenameHeader(from, to) => rename_header(from, to, subject, edits)?,
            Self::SetQuery(name, value, mode) => {
                set_query(name, value, *mode, subject, edits)?;
            }
            Self::RemoveQuery(patterns) => {
                for pattern in patterns {
                    edits.parameters.remove_all(pattern, Pattern::is_parameter);
                }
            }
            Self::RewritePath(path, reading) => {
                rewrite_path(path, *reading, subject, edits)?;
            }
            Self::SetMethod(method) => edits.method = Some(*method),
            Self::SetStatus(status) => edits.status = Some(*status),
            Self::RewriteLocation(content_location) => {
                let also = content_location.then_some("content-location");
                edits.locations = ["location"].into_iter().chain(also).collect();
            }
            Self::Let(name, value) => {
                let kept = value
                    .evaluate(&subject.edited(edits), subject.scratch)
                    .into();
                edits.keep(name, kept)?;
            }
            Self::Respond(_) | Self::Mock(_) | Self::Body(_) => {}
        }
        Ok(())
    }
}

fn set_header<'p: 'm, 'm>(
    name: &'p str,
    value: &'p Template,
    mode: Mode,
    subject: Subject<'_, 'm>,
    edits: &mut Edits<'p>,
) -> Result<(), Stop> {
    let exists = || subject.edited(edits).lines(name).next().is_some();
    if mode == Mode::IfAbsent && exists() {
        return Ok(());
    }
    let (rendered, value) = edits.make(subject.scratch, |edits, room| {
        value.render(&subject.edited(edits), subject.scratch, room)
    })?;
    match rendered {
        Rendered::Null => return Ok(()),
        Rendered::Unfit => {
            edits.left_out += 1;
            return Ok(());
        }
        Rendered::TooLong => return Err(Stop::TooLong),
        Rendered::Complete | Rendered::Incomplete => {}
    }
    if mode == Mode::Replace {
        edits.fields.remove(name);
    }
    edits.fields.push(name, value);
    Ok(())
}

fn rename_header<'p: 'm, 'm>(
    from: &'p str,
    to: &'p str,
    subject: Subject<'_, 'm>,
    edits: &mut Edits<'p>,
) -> Result<(), Stop> {
    let mut values = Vec::new();
    let (_, text) = edits.make(subject.scratch, |edits, room| {
        for line in subject.edited(edits).lines(from) {
            room.extend_from_slice(line);
            values.push(line.len());
        }
    })?;
    if values.is_empty() {
        return Ok(());
    }
    edits.fields.remove(from);
    edits.fields.remove(to);
    let mut start = text.start;
    for length in values {
        edits.fields.push(to, start..start + length);
        start += length;
    }
    Ok(())
}

fn set_query<'p: 'm, 'm>(
    name: &'p str,
    value: &'p Template,
    mode: Mode,
    subject: Subject<'_, 'm>,
    edits: &mut Edits<'p>,
) -> Result<(), Stop> {
    let exists = || subject.edited(edits).has_parameter(name, subject.scratch);
    if mode == Mode::IfAbsent && exists() {
        return Ok(());
    }
    let (rendered, value) = edits.make(subject.scratch, |edits, room| {
        value.render(&subject.edited(edits), subject.scratch, room)
    })?;
    match rendered {
        Rendered::Null | Rendered::Unfit => return Ok(()),
        Rendered::TooLong => return Err(Stop::TooLong),
        Rendered::Complete | Rendered::Incomplete => {}
    }
    if mode == Mode::Replace {
        edits.parameters.remove(name);
    }
    edits.parameters.push(name, value);
    Ok(())
}

fn rewrite_path<'p: 'm, 'm>(
    path: &'p Template,
    reading: Reading,
    subject: Subject<'_, 'm>,
    edits: &mut Edits<'p>,
) -> Result<(), Stop> {
    let (judged, path) = edits.make(subject.scratch, |edits, room| {
        let scope = subject.edited(edits);
        let mut holes = Vec::new();
        let note = |hole| holes.push(hole);
        match path.render_noting_holes(&scope, subject.scratch, room, note) {
            Rendered::Complete | Rendered::Incomplete => rewritten::judge(room, &holes, reading),
            Rendered::TooLong => Err(Stop::TooLong),
            Rendered::Null | Rendered::Unfit => Err(Stop::Path),
        }
    })?;
    judged?;
    edits.path = Some(path);
    Ok(())
}

impl Response {
    /// Makes the response.
    fn give<'m>(&'m self, subject: Subject<'_, 'm>, edits: &Edits<'m>) -> Result<Given, Stop> {
        let (scope, scratch) = (subject.edited(edits), subject.scratch);
        let mut fields = Vec::with_capacity(self.headers.len());
        for (name, value) in &self.headers {
            let mut room = Vec::new();
            match value.render(&scope, scratch, &mut room) {
                Rendered::TooLong => return Err(Stop::TooLong),
                Rendered::Null | Rendered::Unfit => {}
                Rendered::Complete | Rendered::Incomplete => {
                    fields.push((name.to_string(), room));
                }
            }
        }
        let mut body = Vec::new();
        match self.body.render(&scope, scratch, &mut body) {
            Rendered::TooLong => Err(Stop::TooLong),
            _ => Ok(Given {
                status: self.status,
                fields,
                body,
                is_mock: false,
            }),
        }
    }
}
