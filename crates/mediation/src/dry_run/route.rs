//! Finds the operation that a path names, as gateways do: the closest template, with literals
//! before segments that mix literals and parameters, these before parameters, and those before the
//! rest of a path. A path that the back end may read as a different one leads to none.

use std::cmp::Ordering;
use std::ops::Range;

use tollgate_model::api::{Configuration, Method};
use tollgate_model::path::readings::{Readings, decoded_once, has_dot_segment};
use tollgate_model::path::{self, EncodedSlash, Paths};
use tollgate_model::pattern::{Escapes, SegmentKey, segment_keys};
use tollgate_model::template::PathTemplate;

use crate::compile::paths;

/// The called operation.
#[derive(Debug)]
pub(super) struct Routed<'c> {
    pub(super) method: Method,
    pub(super) template: &'c PathTemplate,
    /// The path below the version, as gateways send it on.
    pub(super) path: String,
}

/// Why a path leads to no operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRoute {
    /// A `%` is not followed by two hex digits, or a segment is `.` or `..`.
    #[error("the path has a \"%\" without two hex digits, a segment \".\" or \"..\", or a NUL")]
    Malformed,
    /// No operation has this path.
    #[error("no operation has this path")]
    NoPath,
    /// The operations of this path have other methods.
    #[error("the operations of this path have other methods")]
    OtherMethod,
    /// A back end may read the path as that of a different operation.
    #[error("the path can be read as that of a different operation, once it is decoded or cut")]
    Ambiguous,
}

/// How close a template's segment is to a segment of a path: the least is the closest.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Literal,
    /// By the number of literal characters, most first.
    Mixed(std::cmp::Reverse<usize>),
    Parameter,
    Rest,
}

/// An operation with a template that matches a path.
struct Candidate<'c> {
    distances: Vec<Distance>,
    method: Method,
    template: &'c PathTemplate,
    keys: Vec<SegmentKey>,
}

/// Finds the operation of a method and a path below the version, without query.
pub(super) fn find<'c>(
    configuration: &'c Configuration,
    method: Method,
    sent: &str,
) -> Result<Routed<'c>, NoRoute> {
    let normalized = normalized(sent)?;
    let matched = path::matched(&normalized);
    let candidates = candidates(configuration, &matched, 0);
    let Some(found) = closest_of(&candidates, method) else {
        return Err(match candidates.is_empty() {
            true => NoRoute::NoPath,
            false => NoRoute::OtherMethod,
        });
    };
    let paths = configuration.reading().paths;
    let takes_rest = matches!(found.keys.last(), Some(SegmentKey::Rest(_)));
    let is_special = sent.contains(['%', ';']);
    if (is_special || takes_rest) && may_be_misread(configuration, &candidates, found, &matched) {
        return Err(NoRoute::Ambiguous);
    }
    Ok(Routed {
        method,
        template: found.template,
        path: sent_path(&normalized, &found.keys, paths),
    })
}

/// The operations with a template that matches a path decoded `decodings` times. `path` is in its
/// matched form.
fn candidates<'c>(
    configuration: &'c Configuration,
    path: &[u8],
    decodings: usize,
) -> Vec<Candidate<'c>> {
    let reading = configuration.reading();
    let folded = |text: &[u8]| match reading.paths {
        Paths::Exact => text.to_vec(),
        Paths::IgnoreCase => text.to_ascii_lowercase(),
    };
    let path = folded(path);
    let segments: Vec<_> = segments(&path).collect();
    let escapes = match decodings {
        0 => Escapes::Encoded,
        _ => Escapes::Decoded,
    };
    let literal = |text: &[u8]| {
        let decoded = |text: Vec<u8>, _| decoded_once(&text, reading.encoded_slash);
        match decodings {
            0 => reading.paths.key(text).into_owned(),
            _ => folded(&(0..decodings).fold(text.to_vec(), decoded)),
        }
    };
    let candidates = paths(configuration).filter_map(|(method, template)| {
        let keys = segment_keys(template, literal);
        Some(Candidate {
            distances: distances(&keys, &segments, escapes)?,
            method,
            template,
            keys,
        })
    });
    candidates.collect()
}

fn closest_of<'a, 'c>(
    candidates: &'a [Candidate<'c>],
    method: Method,
) -> Option<&'a Candidate<'c>> {
    let own = candidates.iter().filter(|it| it.method == method);
    own.min_by(|one, other| one.distances.cmp(&other.distances))
}

/// The operations of the closest template, whatever their methods.
fn of_closest<'c>(candidates: &[Candidate<'c>]) -> Vec<(Method, &'c PathTemplate)> {
    let least = candidates.iter().map(|it| &it.distances).min();
    let closest = candidates.iter();
    let closest =
        closest.filter(|it| least.map(|least| it.distances.cmp(least)) == Some(Ordering::Equal));
    closest.map(|it| (it.method, it.template)).collect()
}

/// Whether a back end may read the path as that of a different operation than the one found, as
/// gateways judge it.
fn may_be_misread(
    configuration: &Configuration,
    candidates_of_path: &[Candidate<'_>],
    found: &Candidate<'_>,
    path: &[u8],
) -> bool {
    let reading = configuration.reading();
    if reading.encoded_slash == EncodedSlash::Refuse
        && has_encoded_slash(path, found, reading.paths)
    {
        return true;
    }
    let own = of_closest(candidates_of_path);
    let leads_elsewhere = |text: &[u8], decodings| {
        let candidates = candidates(configuration, text, decodings);
        let read = closest_of(&candidates, found.method);
        let closest = of_closest(&candidates);
        has_dot_segment(text)
            || read.is_some_and(|it| it.template != found.template)
            || !closest.is_empty() && closest != own
    };
    let takes_rest = matches!(found.keys.last(), Some(SegmentKey::Rest(_)));
    let mut readings = match takes_rest {
        true => Readings::of_rest(path, reading),
        false => Readings::new(path, reading),
    };
    loop {
        let decodings = readings.decodings();
        let Ok(texts) = readings.texts() else {
            return true;
        };
        if texts.iter().any(|text| leads_elsewhere(text, decodings)) {
            return true;
        }
        match readings.decode() {
            Ok(true) => {}
            Ok(false) => return false,
            Err(_) => return true,
        }
    }
}

/// Whether a parameter has an encoded slash; the publisher wrote those of literals.
fn has_encoded_slash(path: &[u8], found: &Candidate<'_>, paths: Paths) -> bool {
    let mut segments = segments(path).enumerate();
    segments.any(|(at, segment)| {
        let literals = literals(found.keys.get(at), segment, paths);
        let mut slashes = segment
            .windows(3)
            .enumerate()
            .filter(|(_, it)| it == b"%2F");
        slashes.any(|(at, _)| !literals.iter().any(|it| it.contains(&at)))
    })
}

/// Returns the path with encoded unreserved characters decoded.
fn normalized(sent: &str) -> Result<Vec<u8>, NoRoute> {
    let normalized = path::normalized(sent.as_bytes()).ok_or(NoRoute::Malformed)?;
    let decoded = path::decoded(&normalized);
    let mut segments = decoded.split(|byte| matches!(byte, b'/' | b'\\'));
    let is_dot = |segment: &[u8]| {
        let name = segment.split(|&byte| byte == b';').next();
        matches!(name, Some(b"." | b".."))
    };
    match decoded.contains(&0) || segments.any(is_dot) {
        true => Err(NoRoute::Malformed),
        false => Ok(normalized.into_owned()),
    }
}

fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let rest = path.strip_prefix(b"/").filter(|rest| !rest.is_empty());
    rest.into_iter()
        .flat_map(|rest| rest.split(|&byte| byte == b'/'))
}

fn distances(keys: &[SegmentKey], segments: &[&[u8]], escapes: Escapes) -> Option<Vec<Distance>> {
    let mut distances = Vec::with_capacity(keys.len());
    for (at, key) in keys.iter().enumerate() {
        if let SegmentKey::Rest(length) = key {
            let rest = segments.get(at..)?.join(&b'/');
            let rest = (at < segments.len()).then_some(&*rest);
            distances.push(length.allows(rest).then_some(Distance::Rest)?);
            return Some(distances);
        }
        let segment = *segments.get(at)?;
        let distance = match key {
            SegmentKey::Literal(text) if text == segment => Distance::Literal,
            SegmentKey::Mixed(pattern) if pattern.matches(segment, escapes) => {
                Distance::Mixed(std::cmp::Reverse(pattern.literal_chars()))
            }
            SegmentKey::Parameter if !segment.is_empty() => Distance::Parameter,
            _ => return None,
        };
        distances.push(distance);
    }
    (keys.len() == segments.len()).then_some(distances)
}

/// Returns the path as it is sent on: with encoded sub-delims decoded where literals match them.
fn sent_path(normalized: &[u8], keys: &[SegmentKey], paths: Paths) -> String {
    let mut sent = Vec::with_capacity(normalized.len());
    for (at, segment) in segments(normalized).enumerate() {
        let literals = literals(keys.get(at), &path::matched(segment), paths);
        sent.push(b'/');
        sent.extend_from_slice(&path::plain_literals(segment, &literals));
    }
    if sent.is_empty() {
        sent.extend_from_slice(normalized);
    }
    String::from_utf8_lossy(&sent).into_owned()
}

/// The ranges of literals in a segment, given in its matched form.
fn literals(key: Option<&SegmentKey>, segment: &[u8], paths: Paths) -> Vec<Range<usize>> {
    match key {
        Some(SegmentKey::Literal(_)) => std::iter::once(0..segment.len()).collect(),
        Some(SegmentKey::Mixed(pattern)) => {
            pattern.literals_in(&paths.key(segment)).unwrap_or_default()
        }
        // Beyond the keys there are only further segments of the rest.
        Some(SegmentKey::Parameter | SegmentKey::Rest(_)) | None => Vec::new(),
    }
}
