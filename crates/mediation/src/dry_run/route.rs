//! Finds the operation that a path names, as gateways do: the closest template, with literals
//! before segments that mix literals and parameters, these before parameters, and those before the
//! rest of a path.

use std::ops::Range;

use tollgate_model::api::{Configuration, Method};
use tollgate_model::path::{self, Paths};
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

/// Finds the operation of a method and a path below the version, without query.
pub(super) fn find<'c>(
    configuration: &'c Configuration,
    method: Method,
    sent: &str,
) -> Result<Routed<'c>, NoRoute> {
    let normalized = normalized(sent)?;
    let reading = configuration.reading();
    let matched = path::matched(&normalized);
    let folded = match reading.paths {
        Paths::Exact => matched.clone().into_owned(),
        Paths::IgnoreCase => matched.to_ascii_lowercase(),
    };
    let segments: Vec<_> = segments(&folded).collect();
    let candidates = paths(configuration).filter_map(|(of, template)| {
        let keys = segment_keys(template, |literal| reading.paths.key(literal).into_owned());
        let distances = distances(&keys, &segments)?;
        Some((distances, of, template, keys))
    });
    let candidates: Vec<_> = candidates.collect();
    let has_path = !candidates.is_empty();
    let own = candidates.into_iter().filter(|it| it.1 == method);
    let closest = own.min_by(|one, other| one.0.cmp(&other.0));
    let Some((_, method, template, keys)) = closest else {
        return Err(match has_path {
            true => NoRoute::OtherMethod,
            false => NoRoute::NoPath,
        });
    };
    Ok(Routed {
        method,
        template,
        path: sent_path(&normalized, &keys, reading.paths),
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

fn distances(keys: &[SegmentKey], segments: &[&[u8]]) -> Option<Vec<Distance>> {
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
            SegmentKey::Mixed(pattern) if pattern.matches(segment, Escapes::Encoded) => {
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
        let literals: Vec<Range<usize>> = match keys.get(at) {
            Some(SegmentKey::Literal(_)) => {
                std::iter::once(0..path::matched(segment).len()).collect()
            }
            Some(SegmentKey::Mixed(pattern)) => {
                pattern.literals_in(&paths.key(segment)).unwrap_or_default()
            }
            // Beyond the keys there are only further segments of the rest.
            Some(SegmentKey::Parameter | SegmentKey::Rest(_)) | None => Vec::new(),
        };
        sent.push(b'/');
        sent.extend_from_slice(&path::plain_literals(segment, &literals));
    }
    if sent.is_empty() {
        sent.extend_from_slice(normalized);
    }
    String::from_utf8_lossy(&sent).into_owned()
}
