//! Runs the steps of a message that need only its head.

use crate::edits::Edits;
use crate::message::{Edited, KeptNames, Message};
use crate::name::Name;
use crate::program::{Action, Pattern, Response, Step};
use crate::scope::Scratch;
use crate::text::{Rendered, Template};
use tollgate_model::policies::Mode;

/// What follows the steps of a head.
#[derive(Debug)]
pub enum Next {
    /// The message goes on, with its edits.
    Go,
    /// A step has responded.
    Respond(Given),
}

/// A response that a step gave.
#[derive(Debug)]
pub struct Given {
    /// The status.
    pub status: u16,
    /// Names and values of its field lines.
    pub fields: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why a message cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The rewritten path would have a segment `.` or `..`, or an empty value in a segment.
    #[error("the rewritten path has a segment \".\" or \"..\", or a value that does not exist")]
    Path,
    /// A text would have more than 10 MiB.
    #[error("a policy makes a text of more than 10 MiB")]
    TooLong,
}

/// Runs steps on the head of a message.
///
/// # Errors
/// Fails if a step rejects the message.
pub fn run<'p: 'm, 'm>(
    steps: &'p [Step],
    message: &dyn Message<'m>,
    (edits, scratch): (&mut Edits<'p>, &'m Scratch),
) -> Result<Next, Stop> {
    for step in steps {
        if !step.runs(message, edits, scratch) {
            continue;
        }
        if let Action::Respond(response) = &step.action {
            let scope = Edited { message, edits };
            return Ok(Next::Respond(response.give(&scope, scratch)?));
        }
        step.action.run(message, edits, scratch)?;
    }
    Ok(Next::Go)
}

/// Keeps what later steps read of a request.
#[must_use]
pub fn keep<'m>(
    names: &'m [Name],
    message: &dyn Message<'m>,
    (edits, scratch): (&Edits<'m>, &'m Scratch),
) -> KeptNames {
    KeptNames::new(names, &Edited { message, edits }, scratch)
}

impl Step {
    /// Whether the condition holds. A response is given unless its condition is false: no value is
    /// the safe side.
    fn runs<'m>(
        &'m self,
        message: &dyn Message<'m>,
        edits: &Edits<'m>,
        scratch: &'m Scratch,
    ) -> bool {
        let Some(condition) = &self.condition else {
            return true;
        };
        let holds = condition.condition(&Edited { message, edits }, scratch);
        holds.unwrap_or(self.action.responds())
    }
}

impl Action {
    fn run<'p: 'm, 'm>(
        &'p self,
        message: &dyn Message<'m>,
        edits: &mut Edits<'p>,
        scratch: &'m Scratch,
    ) -> Result<(), Stop> {
        match self {
            Self::SetHeader(name, value, mode) => {
                set_header((name, value, *mode), message, edits, scratch)?;
            }
            Self::RemoveHeader(patterns) => {
                for pattern in patterns {
                    edits.fields.remove_all(pattern, Pattern::is_header);
                }
            }
            Self::RenameHeader(from, to) => rename_header((from, to), message, edits),
            Self::SetQuery(name, value, mode) => {
                set_query((name, value, *mode), message, edits, scratch)?;
            }
            Self::RemoveQuery(patterns) => {
                for pattern in patterns {
                    edits.parameters.remove_all(pattern, Pattern::is_parameter);
                }
            }
            Self::RewritePath(path) => rewrite_path(path, message, edits, scratch)?,
            Self::SetMethod(method) => edits.method = Some(*method),
            Self::SetStatus(status) => edits.status = Some(*status),
            Self::RewriteLocation(content_location) => {
                let also = content_location.then_some("content-location");
                edits.locations = ["location"].into_iter().chain(also).collect();
            }
            Self::Let(name, value) => {
                let kept = value.evaluate(&Edited { message, edits }, scratch).into();
                edits.keep(name, kept);
            }
            Self::Respond(_) => {}
        }
        Ok(())
    }
}

/// A template that is set under a name.
type Setting<'p> = (&'p str, &'p Template, Mode);

fn set_header<'p: 'm, 'm>(
    (name, value, mode): Setting<'p>,
    message: &dyn Message<'m>,
    edits: &mut Edits<'p>,
    scratch: &'m Scratch,
) -> Result<(), Stop> {
    let exists = || Edited { message, edits }.lines(name).next().is_some();
    if mode == Mode::IfAbsent && exists() {
        return Ok(());
    }
    let (rendered, value) =
        edits.make(|edits, room| value.render(&Edited { message, edits }, scratch, room));
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
    (from, to): (&'p str, &'p str),
    message: &dyn Message<'m>,
    edits: &mut Edits<'p>,
) {
    let mut values = Vec::new();
    let (_, text) = edits.make(|edits, room| {
        for line in (Edited { message, edits }).lines(from) {
            room.extend_from_slice(line);
            values.push(line.len());
        }
    });
    if values.is_empty() {
        return;
    }
    edits.fields.remove(from);
    edits.fields.remove(to);
    let mut start = text.start;
    for length in values {
        edits.fields.push(to, start..start + length);
        start += length;
    }
}

fn set_query<'p: 'm, 'm>(
    (name, value, mode): Setting<'p>,
    message: &dyn Message<'m>,
    edits: &mut Edits<'p>,
    scratch: &'m Scratch,
) -> Result<(), Stop> {
    let exists = || Edited { message, edits }.has_parameter(name, scratch);
    if mode == Mode::IfAbsent && exists() {
        return Ok(());
    }
    let (rendered, value) =
        edits.make(|edits, room| value.render(&Edited { message, edits }, scratch, room));
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
    message: &dyn Message<'m>,
    edits: &mut Edits<'p>,
    scratch: &'m Scratch,
) -> Result<(), Stop> {
    let (rendered, path) = edits.make(|edits, room| {
        let rendered = path.render(&Edited { message, edits }, scratch, room);
        let is_dot = |segment: &[u8]| segment == b"." || segment == b"..";
        (rendered, room.split(|&byte| byte == b'/').any(is_dot))
    });
    match rendered {
        (Rendered::Complete | Rendered::Incomplete, false) => edits.path = Some(path),
        (Rendered::TooLong, _) => return Err(Stop::TooLong),
        _ => return Err(Stop::Path),
    }
    Ok(())
}

impl Response {
    /// Makes the response.
    fn give<'m>(&'m self, scope: &Edited<'_, 'm>, scratch: &'m Scratch) -> Result<Given, Stop> {
        let mut fields = Vec::with_capacity(self.headers.len());
        for (name, value) in &self.headers {
            let mut room = Vec::new();
            match value.render(scope, scratch, &mut room) {
                Rendered::TooLong => return Err(Stop::TooLong),
                Rendered::Null | Rendered::Unfit => {}
                Rendered::Complete | Rendered::Incomplete => {
                    fields.push((name.to_string(), room));
                }
            }
        }
        let mut body = Vec::new();
        match self.body.render(scope, scratch, &mut body) {
            Rendered::TooLong => Err(Stop::TooLong),
            _ => Ok(Given {
                status: self.status,
                fields,
                body,
            }),
        }
    }
}
