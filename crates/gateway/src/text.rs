//! The texts of calls, for the access log: written to a ring of the worker when a call begins, and
//! joined to its record by the reader. Without a reader nothing is copied.

use std::cell::RefCell;

use tollgate_http1::framing::Version;
use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_model::call_text::{CallText, FRAME_BYTES_MAX};

use crate::settings::TextSettings;

/// Bytes of a worker's ring: the texts of some 25,000 usual calls.
const RING_BYTES: usize = 4 << 20;

/// Bytes of the length in front of each call's texts.
const LENGTH_BYTES: usize = 2;

const USER_AGENT: &[u8] = b"user-agent";
const REFERER: &[u8] = b"referer";

/// The writing end of a worker's ring.
#[derive(Debug)]
pub(crate) struct TextWriter(Option<RefCell<Writer>>);

#[derive(Debug)]
struct Writer {
    ring: rtrb::Producer<u8>,
    frame: Vec<u8>,
    has_query: bool,
}

/// The reading end of a worker's ring.
#[derive(Debug)]
pub(crate) struct Texts {
    ring: rtrb::Consumer<u8>,
    frame: Vec<u8>,
}

/// Creates the ring of a worker, if texts are wanted.
pub(crate) fn ring(settings: Option<TextSettings>) -> (TextWriter, Option<Texts>) {
    let Some(settings) = settings else {
        return (TextWriter(None), None);
    };
    let (producer, consumer) = rtrb::RingBuffer::new(RING_BYTES);
    let writer = Writer {
        ring: producer,
        frame: Vec::with_capacity(LENGTH_BYTES + FRAME_BYTES_MAX),
        has_query: settings.has_query,
    };
    let texts = Texts {
        ring: consumer,
        frame: Vec::with_capacity(FRAME_BYTES_MAX),
    };
    (TextWriter(Some(RefCell::new(writer))), Some(texts))
}

impl TextWriter {
    /// Writes the texts of the `number`th request of its worker, if somebody reads them. They are
    /// lost if the ring is full; the reader then misses them.
    pub(crate) fn write(&self, number: u64, head: Request<'_>) {
        if let Some(writer) = &self.0 {
            writer.borrow_mut().write(number, head);
        }
    }
}

impl Writer {
    fn write(&mut self, number: u64, head: Request<'_>) {
        let target = head.target();
        let query = target.iter().position(|byte| *byte == b'?');
        let (mut agent, mut referrer) = (&b""[..], &b""[..]);
        for line in head.lines().iter() {
            // Most names differ in their length.
            match line.name().len() {
                len if len == USER_AGENT.len() && line.is(USER_AGENT) => agent = line.value(),
                len if len == REFERER.len() && line.is(REFERER) => referrer = line.value(),
                _ => {}
            }
        }
        if !self.has_query {
            // Tokens and codes are in queries and fragments.
            let end = referrer.iter().position(|byte| b"?#".contains(byte));
            referrer = &referrer[..end.unwrap_or(referrer.len())];
        }
        let texts = CallText {
            number,
            method: head.method(),
            path: &target[..query.unwrap_or(target.len())],
            query: query.filter(|_| self.has_query).map(|at| &target[at + 1..]),
            host: head.lines().first(Known::Host).unwrap_or_default(),
            agent,
            referrer,
            is_http_1_0: head.version == Version::Http10,
            is_cut: false,
        };
        self.frame.clear();
        self.frame.extend_from_slice(&[0; LENGTH_BYTES]);
        texts.encode(&mut self.frame);
        let length = (self.frame.len() - LENGTH_BYTES) as u16;
        self.frame[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        let _is_lost = self.ring.push_entire_slice(&self.frame).is_err();
    }
}

impl Texts {
    /// Passes the encoded texts of all calls that have begun to `each`, oldest first; see
    /// [`CallText::decode`]. Those of a call are there before its record is.
    pub(crate) fn drain(&mut self, each: &mut dyn FnMut(&[u8])) {
        let mut length = [0; LENGTH_BYTES];
        while self.ring.pop_entire_slice(&mut length).is_ok() {
            self.frame.resize(u16::from_le_bytes(length).into(), 0);
            let read = self.ring.pop_entire_slice(&mut self.frame);
            read.expect("length and texts are written together");
            each(&self.frame);
        }
    }
}

#[cfg(test)]
mod tests;
