//! The possible readings of a path by a back end: decoded again, cut at semicolons, with
//! backslashes as slashes, without empty segments.
//!
//! A call is authorized and counted by the operation of its path. A back end that reads the path in
//! one of these ways must find the same operation, or none.

use tollgate_model::path::{EncodedSlash, Paths, Reading, Semicolon};
use tollgate_model::refusal::Refusal;

use crate::refusal::Refused;
use crate::snapshot::operations::{DECODINGS_MAX, Operation, Operations, decoded};

/// Maximum readings of one path that are compared; ordinary paths have up to four.
const READINGS_MAX: usize = 24;

const ANOTHER: &str = "The path leads to another operation once it is decoded or cut.";

/// Checks that every reading of a path matches the template of the path itself, or none, and that
/// none has a dot segment: with another template, the operations of all methods differ. `path` is
/// what follows the version, in the form in which it is matched.
///
/// # Errors
/// [`Refusal::Ambiguous`] if a reading does not.
pub(super) fn check(
    (operations, operation): (&Operations, &Operation),
    reading: Reading,
    path: &[u8],
) -> Result<(), Refused> {
    if reading.encoded_slash == EncodedSlash::Refuse
        && has_encoded_slash(path, operation, reading.paths)
    {
        return Err(ambiguous(
            "The API does not accept an encoded slash in a path.",
        ));
    }
    if operations.has_plain_literals() && !separates(path) {
        return Ok(());
    }
    let own = operations.methods(path, 0);
    let leads_elsewhere = |text: &[u8], decodings| {
        let methods = operations.methods(text, decodings);
        methods.is_some() && methods != own
    };
    let ended_with_slash = path.ends_with(b"/");
    let mut texts = vec![path.to_vec()];
    let mut compared = 0;
    for decodings in 0..=DECODINGS_MAX {
        add_cut(&mut texts, reading.semicolon);
        compared += texts.len();
        if compared > READINGS_MAX {
            return Err(ambiguous(
                "The path can be decoded and cut in too many ways.",
            ));
        }
        for text in &texts {
            for variant in variants(text, ended_with_slash) {
                if has_dot_segment(&variant) || leads_elsewhere(&variant, decodings) {
                    return Err(ambiguous(ANOTHER));
                }
            }
        }
        let is_whole = texts.iter().all(|text| !text.contains(&b'%'));
        if is_whole && operations.has_plain_literals() {
            return Ok(());
        }
        if texts.iter().any(|text| has_encoded_nul(text)) {
            return Err(ambiguous("The path has an encoded NUL."));
        }
        let mut next: Vec<Vec<u8>> = Vec::with_capacity(texts.len());
        for text in &texts {
            let decoded = decoded(text, reading.encoded_slash);
            if decodings == DECODINGS_MAX && decoded != *text {
                return Err(ambiguous("The path is encoded more than three times."));
            }
            if !next.contains(&decoded) {
                next.push(decoded);
            }
        }
        texts = next;
    }
    Ok(())
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

/// Adds the texts with segments cut at semicolons, and with slashes for backslashes, in any order.
fn add_cut(texts: &mut Vec<Vec<u8>>, semicolon: Semicolon) {
    let mut at = 0;
    while at < texts.len() && texts.len() <= READINGS_MAX {
        let text = &texts[at];
        let is_cut = semicolon == Semicolon::Check && text.contains(&b';');
        let cut = is_cut.then(|| cut(text));
        let slashed = text.contains(&b'\\').then(|| slashed(text));
        for new in [cut, slashed].into_iter().flatten() {
            if !texts.contains(&new) {
                texts.push(new);
            }
        }
        at += 1;
    }
}

/// The path with each segment cut at its first semicolon.
fn cut(path: &[u8]) -> Vec<u8> {
    let mut is_cut = false;
    let kept = path.iter().filter(|&&byte| {
        is_cut = byte != b'/' && (is_cut || byte == b';');
        !is_cut
    });
    kept.copied().collect()
}

fn slashed(path: &[u8]) -> Vec<u8> {
    let slash = |&byte: &u8| if byte == b'\\' { b'/' } else { byte };
    path.iter().map(slash).collect()
}

/// A text with and without its empty segments, each also without an empty last segment that the
/// path did not have.
fn variants(text: &[u8], ended_with_slash: bool) -> Vec<Vec<u8>> {
    let mut variants = vec![text.to_vec()];
    if memchr::memmem::find(text, b"//").is_some() {
        let mut joined = text.to_vec();
        joined.dedup_by(|byte, before| *byte == b'/' && *before == b'/');
        variants.push(joined);
    }
    if !ended_with_slash {
        let trimmed = variants.iter().filter_map(|it| it.strip_suffix(b"/"));
        let trimmed: Vec<_> = trimmed.map(<[u8]>::to_vec).collect();
        variants.extend(trimmed);
    }
    variants
}

fn has_dot_segment(path: &[u8]) -> bool {
    let mut segments = path.split(|&byte| byte == b'/');
    segments.any(|segment| matches!(segment, b"." | b".."))
}

fn has_encoded_nul(path: &[u8]) -> bool {
    memchr::memmem::find(path, b"%00").is_some()
}
