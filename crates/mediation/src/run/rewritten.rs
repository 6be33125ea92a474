//! Judges the paths that `rewrite_path` makes: a value in them is judged like a parameter of the
//! caller's path.

use std::ops::Range;

use tollgate_model::path::readings::{DECODINGS_MAX, Unreadable, decoded_once, stays_below};
use tollgate_model::path::{EncodedSlash, Reading};

use crate::outcome::Stop;

/// Checks a path made of a template, with the ranges of its values.
///
/// # Errors
/// Fails if a value has a slash that the back end might split at, or if the back end might read the
/// path as one with a segment `.` or `..`, or with a NUL.
pub(super) fn judge(path: &[u8], values: &[Range<usize>], reading: Reading) -> Result<(), Stop> {
    if reading.encoded_slash == EncodedSlash::Refuse
        && values.iter().any(|value| has_slash(path, value))
    {
        return Err(Stop::Ambiguous(
            "A value in the path that a policy makes has a slash or a backslash, which the API \
             does not accept. Its setting encoded_slash lets them pass.",
        ));
    }
    stays_below(path, reading).map_err(|why| {
        Stop::Ambiguous(match why {
            Unreadable::Leaves => {
                "The path that a policy makes leads elsewhere once it is decoded or cut: a value \
                 in it makes a segment \".\" or \"..\"."
            }
            Unreadable::TooMany => {
                "The path that a policy makes can be decoded and cut in too many ways."
            }
            Unreadable::Nul => "A value in the path that a policy makes has a NUL.",
            Unreadable::Encoded => {
                "A value in the path that a policy makes is encoded more than three times."
            }
        })
    })
}

/// Whether a value in a path has a slash or a backslash, however often it is decoded.
fn has_slash(path: &[u8], value: &Range<usize>) -> bool {
    let mut text = path[with_escapes(path, value)].to_vec();
    for _ in 0..=DECODINGS_MAX {
        if text.iter().any(|byte| b"/\\".contains(byte)) {
            return true;
        }
        text = decoded_once(&text, EncodedSlash::Refuse);
    }
    false
}

/// Extends a value by the text around it that it may form a percent-encoding with.
fn with_escapes(path: &[u8], value: &Range<usize>) -> Range<usize> {
    let before = &path[value.start.saturating_sub(2)..value.start];
    let percent = before.iter().position(|&byte| byte == b'%');
    let start = percent.map_or(value.start, |at| value.start - before.len() + at);
    let after = path[value.end..].iter().take(2);
    let digits = after.take_while(|byte| byte.is_ascii_hexdigit()).count();
    start..value.end + digits
}

#[cfg(test)]
mod tests;
