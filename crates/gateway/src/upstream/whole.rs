//! An answer that is read to its end before anything of it goes on.

use std::ops::Range;

use tollgate_http1::buffer_pool::Scratch;
use tollgate_http1::relay::Sent;
use tollgate_http1::whole::WholeBody;

use super::Answer;
use super::failure::unread;
use crate::exchange::{Exchange, Failure};

/// The whole answer of an upstream.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) status: u16,
    pub(crate) body: WholeBody,
    /// The values of its fields that matter, one behind the other.
    values: Scratch,
    fields: [Option<Range<usize>>; NAMES.len()],
}

/// The fields of an answer that matter.
const NAMES: [&[u8]; 3] = [b"content-type", b"content-encoding", b"retry-after"];

impl Whole {
    pub(crate) fn content_type(&self) -> Option<&[u8]> {
        self.field(0)
    }

    pub(crate) fn content_encoding(&self) -> Option<&[u8]> {
        self.field(1)
    }

    pub(crate) fn retry_after(&self) -> Option<&[u8]> {
        self.field(2)
    }

    fn field(&self, index: usize) -> Option<&[u8]> {
        self.fields[index].clone().map(|range| &self.values[range])
    }
}

/// Reads the answer to its end, and gives the connection back. `values` is an empty buffer.
pub(crate) async fn read(
    answer: Answer<'_>,
    exchange: &mut Exchange<'_>,
    bytes_max: u64,
    mut values: Scratch,
) -> Result<Whole, Failure> {
    let Answer {
        mut upstream,
        chosen,
        sent,
    } = answer;
    let head = upstream.head();
    let status = head.status;
    let fields = NAMES.map(|name| {
        let value = head.lines().named(name).next()?;
        let start = values.len();
        values.extend_from_slice(value);
        Some(start..values.len())
    });
    let idle = chosen.idle_timeout();
    let read = exchange.read_answer(&mut upstream, bytes_max, idle).await;
    let body = read.map_err(|error| unread(&error, chosen.target(), upstream.body_bytes()))?;
    if sent == Sent::Whole {
        upstream.keep();
    }
    Ok(Whole {
        status,
        body,
        values,
        fields,
    })
}
