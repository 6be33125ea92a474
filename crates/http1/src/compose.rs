//! Writes heads: fields are copied as runs of bytes, without an owned map in between.

use crate::head::{Field, Fields};

/// Appends the lines of the fields that `keeps` accepts, copying adjacent ones together.
pub fn push_fields<'a>(
    out: &mut Vec<u8>,
    bytes: &[u8],
    fields: &'a Fields,
    mut keeps: impl FnMut(&'a Field) -> bool,
) {
    let mut run = 0..0_usize;
    for field in &fields.lines {
        if !keeps(field) {
            continue;
        }
        let (start, end) = (field.line.start as usize, field.line.end as usize);
        if run.end == start {
            run.end = end;
        } else {
            out.extend_from_slice(&bytes[run]);
            run = start..end;
        }
    }
    out.extend_from_slice(&bytes[run]);
}

/// Appends one field line. Inlined, so that copying a constant name is a store.
#[inline(always)]
pub fn push_field(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Appends a `Content-Length` line.
pub fn push_length(out: &mut Vec<u8>, length: u64) {
    push_field(
        out,
        "content-length",
        itoa::Buffer::new().format(length).as_bytes(),
    );
}

/// Appends a status line.
pub fn push_status(out: &mut Vec<u8>, status: u16, reason: &[u8]) {
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
    out.push(b' ');
    out.extend_from_slice(reason);
    out.extend_from_slice(b"\r\n");
}
