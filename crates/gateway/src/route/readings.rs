//! The possible readings of a path by a back end ([`Readings`]), which must all lead to one
//! operation.
//!
//! A call is authorized and counted by the operation of its path. A back end that reads the path in
//! one of these ways must find the same operation, or none.

use tollgate_model::api::Method;
use tollgate_model::path::readings::{Readings, Unreadable, has_dot_segment};
use tollgate_model::path::{EncodedSlash, Paths};
use tollgate_model::refusal::Refusal;

use crate::refusal::Refused;
use crate::snapshot::operations::Operation;
use crate::snapshot::version::Version;

/// A path with the operation that it leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead<'r> {
    pub(super) version: &'r Version,
    pub(super) operation: &'r Operation,
    pub(super) method: Method,
    /// What follows the version, in the form in which it is matched.
    pub(super) path: &'r [u8],
    /// Whether the version is meant as the default one, without its name in the path.
    pub(super) is_default: bool,
}

/// Checks that every reading of a path matches the template of the path itself, or none; that a
/// call of it with the same method is one of the same operation, or of none; and that it neither
/// has a dot segment nor begins with the name of a different version.
///
/// Both comparisons are needed. With a different template, the operations of other methods differ,
/// and some back ends choose by the template first. With the same template, the method may still
/// be found in a template that is less close.
///
/// # Errors
/// [`Refusal::Ambiguous`] if a reading fails one of these.
pub(super) fn check(lead: Lead<'_>) -> Result<(), Refused> {
    let Lead {
        version,
        operation,
        path,
        ..
    } = lead;
    let (operations, reading) = (&version.operations, version.served.reading);
    if reading.encoded_slash == EncodedSlash::Refuse
        && has_encoded_slash(path, operation, reading.paths)
    {
        return Err(ambiguous(
            "The API does not accept an encoded slash in a path.",
        ));
    }
    let takes_rest = operation.takes_rest();
    if operations.has_plain_literals() && !separates(path) && !(takes_rest && has_gap(path)) {
        return Ok(());
    }
    let own = operations.methods(path, 0);
    let leads_elsewhere = |text: &[u8], decodings| {
        let methods = operations.methods(text, decodings);
        methods.is_some() && methods != own
            || operations.leads_elsewhere(operation, lead.method, text, decodings)
            || lead.begins_with_version(text)
    };
    let mut readings = match takes_rest {
        true => Readings::of_rest(path, reading),
        false => Readings::new(path, reading),
    };
    loop {
        let decodings = readings.decodings();
        for text in readings.texts().map_err(unreadable)? {
            if has_dot_segment(&text) || leads_elsewhere(&text, decodings) {
                return Err(unreadable(Unreadable::Leaves));
            }
        }
        if readings.is_decoded() && operations.has_plain_literals() {
            return Ok(());
        }
        if !readings.decode().map_err(unreadable)? {
            return Ok(());
        }
    }
}

impl Lead<'_> {
    /// Whether a reading of the short address begins with the name of a different version.
    fn begins_with_version(self, text: &[u8]) -> bool {
        let first = text.split(|&byte| byte == b'/').nth(1);
        let mut others = self.version.served.other_versions.iter();
        self.is_default && others.any(|name| first == Some(name.as_bytes()))
    }
}

fn unreadable(why: Unreadable) -> Refused {
    ambiguous(match why {
        Unreadable::Leaves => "The path leads to another operation once it is decoded or cut.",
        Unreadable::TooMany => "The path can be decoded and cut in too many ways.",
        Unreadable::Nul => "The path has an encoded NUL.",
        Unreadable::Encoded => "The path is encoded more than three times.",
    })
}

fn ambiguous(detail: &'static str) -> Refused {
    Refused::because(Refusal::Ambiguous, detail)
}

/// Whether a parameter has an encoded slash; the publisher wrote those of literals.
fn has_encoded_slash(path: &[u8], operation: &Operation, paths: Paths) -> bool {
    let mut segments = path.split(|&byte| byte == b'/').skip(1).enumerate();
    segments.any(|(index, segment)| {
        let mut slashes = memchr::memmem::find_iter(segment, b"%2F").peekable();
        slashes.peek().is_some() && {
            let literals = operation.literals_in(index, segment, paths);
            slashes.any(|at| !literals.iter().any(|it| it.contains(&at)))
        }
    })
}

/// Whether a path has an empty segment, also as its last one: a parameter matches none, the rest of
/// a path does.
fn has_gap(path: &[u8]) -> bool {
    path.ends_with(b"/") || memchr::memmem::find(path, b"//").is_some()
}

/// Whether a path in its matched form has anything that separates or escapes: `%`, `/`, `\`, NUL or
/// a semicolon, encoded, or a plain semicolon.
fn separates(path: &[u8]) -> bool {
    let escapes: [&[u8]; 5] = [b"25", b"2F", b"5C", b"00", b"3B"];
    let escaped = |at: usize| path.get(at + 1..at + 3);
    path.contains(&b';')
        || memchr::memchr_iter(b'%', path)
            .filter_map(escaped)
            .any(|it| escapes.contains(&it))
}
