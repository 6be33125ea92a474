//! A client connection: the request received so far, and the unsent part of the response.

use std::io::{self, ErrorKind};
use std::rc::Rc;

use crate::stream::Stream;
use crate::wire::{Chunked, Head, Malformed};

use super::answer::head_bytes;
use super::request::{BODY_BYTES_MAX, Request};

/// A connection and its state.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) stream: Stream,
    pub(crate) token: u64,
    /// Received bytes that are not parsed yet.
    pub(crate) input: Vec<u8>,
    /// The current request, and the part of its body received so far.
    pub(crate) request: Option<Request>,
    body_left: BodyLeft,
    pub(crate) body: Vec<u8>,
    pub(crate) body_bytes: u64,
    /// The response waiting for its delay.
    pub(crate) later: Option<Output>,
    /// The response being sent, and the number of bytes sent.
    output: Option<(Output, usize)>,
    closes: bool,
}

/// Bytes of a response.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    Shared(Rc<[u8]>),
    Own(Vec<u8>),
}

#[derive(Debug, Clone, Copy)]
enum BodyLeft {
    Bytes(u64),
    Chunked(Chunked),
}

/// The result of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The request is incomplete.
    More,
    /// The head is complete, and the client waits for `100 Continue`.
    Continue,
    Whole,
}

impl Output {
    pub(crate) fn without_body(self) -> Self {
        let bytes = self.bytes();
        Self::Own(bytes[..head_bytes(bytes)].to_vec())
    }

    pub(crate) fn body_bytes(&self) -> u64 {
        let bytes = self.bytes();
        (bytes.len() - head_bytes(bytes)) as u64
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}

impl Client {
    pub(crate) fn new(stream: Stream, token: u64) -> Self {
        Self {
            stream,
            token,
            input: Vec::new(),
            request: None,
            body_left: BodyLeft::Bytes(0),
            body: Vec::new(),
            body_bytes: 0,
            later: None,
            output: None,
            closes: false,
        }
    }

    /// Consumes bytes from the front of `piece`; returns how many.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Result<(Taken, usize), Malformed> {
        if self.request.is_none() {
            let Some(head) = Head::parse(piece)? else {
                return Ok((Taken::More, 0));
            };
            let (request, taken) = (Request::parse(&head)?, head.bytes);
            self.begin(request)?;
            let (rest, body_taken) = self.take_body(&piece[taken..])?;
            let is_awaited = rest == Taken::More && request.framing.expects_continue;
            let rest = if is_awaited { Taken::Continue } else { rest };
            return Ok((rest, taken + body_taken));
        }
        self.take_body(piece)
    }

    fn begin(&mut self, request: Request) -> Result<(), Malformed> {
        self.request = Some(request);
        self.closes = request.framing.closes;
        self.body.clear();
        self.body_bytes = 0;
        let length = request.framing.content_length.unwrap_or(0);
        if length > BODY_BYTES_MAX {
            return Err(Malformed);
        }
        self.body_left = if request.framing.is_chunked {
            BodyLeft::Chunked(Chunked::default())
        } else {
            BodyLeft::Bytes(length)
        };
        Ok(())
    }

    fn take_body(&mut self, piece: &[u8]) -> Result<(Taken, usize), Malformed> {
        match &mut self.body_left {
            BodyLeft::Bytes(left) => {
                let count = piece
                    .len()
                    .min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= count as u64;
                let taken = if *left == 0 {
                    Taken::Whole
                } else {
                    Taken::More
                };
                self.keep(&piece[..count])?;
                Ok((taken, count))
            }
            BodyLeft::Chunked(chunked) => {
                let (mut chunked, mut at) = (*chunked, 0);
                while at < piece.len() {
                    let step = chunked.take(&piece[at..])?;
                    at += step.taken;
                    self.keep(step.data)?;
                    if step.is_whole {
                        return Ok((Taken::Whole, at));
                    }
                }
                self.body_left = BodyLeft::Chunked(chunked);
                Ok((Taken::More, at))
            }
        }
    }

    fn keep(&mut self, data: &[u8]) -> Result<(), Malformed> {
        self.body_bytes += data.len() as u64;
        if self.body_bytes > BODY_BYTES_MAX {
            return Err(Malformed);
        }
        self.body.extend_from_slice(data);
        Ok(())
    }

    /// Queues a response; [`Self::flush`] sends it.
    pub(crate) fn begin_to_send(&mut self, output: Output) {
        self.output = Some((output, 0));
    }

    /// Whether a response is not fully sent.
    pub(crate) fn is_answering(&self) -> bool {
        self.output.is_some()
    }

    /// Sends pending bytes; returns whether all were sent.
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.output.as_ref().map(|(it, sent)| &it.bytes()[*sent..]);
            let went = match rest.filter(|it| !it.is_empty()) {
                Some(rest) => self.stream.write(rest),
                None if self.stream.is_flushed() => break,
                None => self.stream.flush().map(|()| 0),
            };
            match (went, &mut self.output) {
                (Ok(count), Some((_, sent))) => *sent += count,
                (Ok(_), None) => {}
                (Err(error), _) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(false),
                    ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        self.output = None;
        Ok(true)
    }

    /// Whether a response is pending, so the next request must wait.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_sending() || self.later.is_some()
    }

    /// Whether response or handshake bytes are still unsent.
    pub(crate) fn is_sending(&self) -> bool {
        self.is_answering() || !self.stream.is_flushed()
    }

    /// Whether the connection closes after the response just sent.
    pub(crate) fn is_last(&self) -> bool {
        self.closes && self.request.is_none()
    }
}
