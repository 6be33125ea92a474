//! `compress`: gzip (RFC 1952), for callers that accept it.

use flate2::{Compress as Deflate, Compression, Crc, FlushCompress, Status};
use serde::{Deserialize, Serialize};

use crate::edits::{Changed, Edits};
use crate::expression::Expression;
use crate::message::{Edited, Subject};
use crate::outcome::Stop;
use crate::value::Value;
use crate::work::Work;

/// The fastest level that compresses.
const LEVEL: u32 = 1;
/// Deflate, no flags, no time, the fastest algorithm, an unknown system (section 2.3).
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// Compresses bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compress {
    /// Minimum bytes of a body.
    pub(crate) min_bytes: u64,
    /// The request's `Accept-Encoding`: an expression, so that it is kept.
    pub(crate) accepted: Expression,
}

/// The state of the compressor; made once, since that takes longer than to compress a small body.
#[derive(Debug, Default)]
pub(crate) struct State(Option<Deflate>);

impl Compress {
    /// Whether a body is compressed, if its length is right. If it depends on the caller, the
    /// response varies (RFC 9110, section 12.5.5).
    pub(crate) fn takes<'p: 'm, 'm>(
        &'p self,
        subject: Subject<'_, 'm>,
        edits: &mut Edits<'p>,
    ) -> bool {
        let edited = subject.edited(edits);
        if !is_compressible(edited) {
            return false;
        }
        let accepted = self.accepted.evaluate(&edited, subject.scratch);
        let is_accepted = matches!(accepted, Value::Text(text) if accepts_gzip(text));
        if !varies(edited) {
            edits.append_field("vary", "Accept-Encoding");
        }
        is_accepted
    }

    /// Compresses a body, with a unit of work for each byte; `None` if it would not become shorter.
    ///
    /// # Errors
    /// Fails if the work is exceeded.
    pub(crate) fn run(
        &self,
        body: &[u8],
        out: &mut Vec<u8>,
        work: &Work,
        state: &mut State,
    ) -> Result<Option<Changed>, Stop> {
        work.charge(body.len())?;
        let deflate = state
            .0
            .get_or_insert_with(|| Deflate::new(Compression::new(LEVEL), false));
        deflate.reset();
        out.reserve(body.len());
        out.extend_from_slice(&HEADER);
        let compressed = deflate.compress_vec(body, out, FlushCompress::Finish);
        let mut sum = Crc::new();
        sum.update(body);
        out.extend_from_slice(&sum.sum().to_le_bytes());
        out.extend_from_slice(&sum.amount().to_le_bytes());
        let is_shorter = matches!(compressed, Ok(Status::StreamEnd)) && out.len() < body.len();
        Ok(is_shorter.then_some(Changed {
            media_type: None,
            coding: Some("gzip"),
        }))
    }
}

/// Whether a response may get a coding: it has none, is no part of a representation, no event
/// stream, and may be transformed (RFC 9110, section 7.7).
fn is_compressible(edited: Edited<'_, '_>) -> bool {
    let is_plain = !edited
        .lines("content-encoding")
        .any(|line| !is_word(line, "identity"));
    let is_whole = edited.lines("content-range").next().is_none();
    let is_kept = words(edited, "cache-control").any(|it| is_word(it, "no-transform"));
    let is_stream = edited
        .media_type()
        .is_some_and(|it| it.is("text/event-stream") || it.is("multipart/byteranges"));
    is_plain && is_whole && !is_kept && !is_stream
}

/// Whether the response varies with `Accept-Encoding` already.
fn varies(edited: Edited<'_, '_>) -> bool {
    words(edited, "vary").any(|it| is_word(it, "accept-encoding") || it == b"*")
}

/// Returns the items of the lists in all lines of a field.
fn words<'e>(edited: Edited<'e, '_>, name: &'static str) -> impl Iterator<Item = &'e [u8]> {
    let lines = edited.lines(name);
    lines.flat_map(|line| line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii))
}

fn is_word(bytes: &[u8], word: &str) -> bool {
    bytes.trim_ascii().eq_ignore_ascii_case(word.as_bytes())
}

/// Whether a caller accepts gzip (RFC 9110, section 12.5.3): by its name, or else by `*`.
fn accepts_gzip(accepted: &str) -> bool {
    let mut any = false;
    for item in accepted.split(',') {
        let (coding, parameters) = item.split_once(';').unwrap_or((item, ""));
        let is_accepted = weight(parameters) != Some(0);
        match coding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => return is_accepted,
            "*" => any = is_accepted,
            _ => {}
        }
    }
    any
}

/// Returns the weight in thousandths; `None` if there is none. A malformed one is 0.
fn weight(parameters: &str) -> Option<u32> {
    let (name, value) = parameters.split_once('=')?;
    let is_weight = name.trim().eq_ignore_ascii_case("q");
    let weight = value.trim().parse::<f64>().ok();
    let weight = weight.filter(|it| is_weight && (0.0..=1.0).contains(it));
    Some(weight.map_or(0, |it| (it * 1000.0) as u32))
}
