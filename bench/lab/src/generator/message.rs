//! The prepared request: bytes with gaps for the next value and its caller's address.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};

use crate::load::{ADDRESS, Load, caller_address};
use crate::wire::is_token;

#[cfg(test)]
mod tests;

const VALUE: &str = "{value}";
/// Maximum size of a body; the back end accepts no more either.
const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Maximum size of a file of values.
const VALUES_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// The request, for every value.
#[derive(Debug)]
pub(crate) struct Message {
    /// Everything before the first gap.
    first: Vec<u8>,
    /// The gaps, each with the bytes that follow it, in order; the body is at the end.
    rest: Vec<(Gap, Vec<u8>)>,
    values: Values,
}

/// What is filled in for each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    Value,
    Address,
}

/// Concatenated values, and the end of each.
#[derive(Debug, Default)]
struct Values {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Message {
    pub(crate) fn prepare(load: &Load) -> anyhow::Result<Self> {
        let head = head(load)?;
        let body = match &load.request.body {
            Some(path) => bounded(path, BODY_BYTES_MAX)?,
            None => Vec::new(),
        };
        let (mut first, mut rest) = split(&head);
        let last = rest.last_mut().map_or(&mut first, |(_, bytes)| bytes);
        let is_bare = matches!(load.request.method.as_str(), "GET" | "HEAD") && body.is_empty();
        if !is_bare {
            last.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        last.extend_from_slice(b"\r\n");
        last.extend_from_slice(&body);
        let values = match &load.values {
            Some(path) => Values::read(path)?,
            None => Values::default(),
        };
        let has = |kind| rest.iter().any(|(gap, _)| *gap == kind);
        let has_values = !values.ends.is_empty();
        ensure!(
            has_values || rest.is_empty(),
            "the request contains {VALUE} or {ADDRESS}, but there is no file of values"
        );
        ensure!(
            has(Gap::Value) || !has_values,
            "there is a file of values, but no {VALUE} in the request"
        );
        Ok(Self {
            first,
            rest,
            values,
        })
    }

    /// Returns the bytes of the request with a number, counting from 0.
    pub(crate) fn render<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if self.rest.is_empty() {
            return &self.first;
        }
        let index = self.values.index(number);
        scratch.clear();
        scratch.extend_from_slice(&self.first);
        for (gap, bytes) in &self.rest {
            match gap {
                Gap::Value => scratch.extend_from_slice(self.values.value(index)),
                Gap::Address => {
                    // A vector accepts everything.
                    let _ = write!(scratch, "{}", caller_address(index));
                }
            }
            scratch.extend_from_slice(bytes);
        }
        scratch
    }
}

/// Splits the head at its gaps; the part before the first one is separate.
fn split(head: &str) -> (Vec<u8>, Vec<(Gap, Vec<u8>)>) {
    let mut parts = Vec::new();
    for between_values in head.split(VALUE) {
        let gaps = std::iter::once(Gap::Value).chain(std::iter::repeat(Gap::Address));
        let bytes = between_values.split(ADDRESS).map(Vec::from);
        parts.extend(gaps.zip(bytes));
    }
    let (_, first) = parts.remove(0);
    (first, parts)
}

impl Values {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = bounded(path, VALUES_BYTES_MAX)?;
        let mut values = Self::default();
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let is_visible = line.iter().all(|byte| (0x20..0x7f).contains(byte));
            ensure!(
                is_visible,
                "{} has characters other than printable ASCII",
                path.display()
            );
            values.bytes.extend_from_slice(line);
            values.ends.push(values.bytes.len());
        }
        ensure!(!values.ends.is_empty(), "{} has no values", path.display());
        Ok(values)
    }

    fn index(&self, number: u64) -> usize {
        usize::try_from(number % self.ends.len() as u64).unwrap_or_default()
    }

    fn value(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }
}

/// Builds the request line and the header fields.
fn head(load: &Load) -> anyhow::Result<String> {
    let request = &load.request;
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_token);
    ensure!(
        is_name(&request.method),
        "{:?} is not a valid method",
        request.method
    );
    let is_target = request.target.bytes().all(|byte| byte.is_ascii_graphic());
    ensure!(
        request.target.starts_with('/') && is_target,
        "{:?} is not a valid path and query",
        request.target
    );
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.target);
    if !request
        .headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        let host = match &load.tls {
            Some(tls) => format!("{}:{}", tls.server_name, load.address.port()),
            None => load.address.to_string(),
        };
        head.push_str(&format!("Host: {host}\r\n"));
    }
    for (name, value) in &request.headers {
        let is_ours = ["content-length", "transfer-encoding", "connection"]
            .iter()
            .any(|ours| name.eq_ignore_ascii_case(ours));
        ensure!(!is_ours, "{name} is set by the generator");
        let is_value = value
            .bytes()
            .all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte));
        ensure!(
            is_name(name) && is_value,
            "{name:?}: {value:?} is not a valid header field"
        );
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    Ok(head)
}

fn bounded(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let unreadable = || format!("cannot read {}", path.display());
    let length = fs::metadata(path).with_context(unreadable)?.len();
    ensure!(
        length <= bytes_max,
        "{} exceeds {bytes_max} bytes",
        path.display()
    );
    fs::read(path).with_context(unreadable)
}
