//! Bodies of requests and responses, which report to `places.rs` what their connection waits for,
//! and to `bodies.rs` how much of them is buffered.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::places::Activity;
use crate::bodies::{NoRoom, Reading};

/// Minimum bytes of a piece that is passed on, except for the last. Clients choose the size of the
/// pieces that they send, and code that collects a body keeps an entry for each.
const PIECE_BYTES: usize = 16 << 10;

/// A request's body. While it waits for more bytes, its connection may be closed to make room for
/// another, or the body may be dropped because all bodies together are too large. The request has
/// had no effect then, since handlers read the whole body before they act.
pub(super) struct RequestBody {
    body: Incoming,
    /// Bytes that have arrived and are not passed on yet.
    piece: Vec<u8>,
    /// Whether its end has been read.
    has_ended: bool,
    activity: Arc<Activity>,
    reading: Arc<Reading>,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, activity: Arc<Activity>, reading: Arc<Reading>) -> Self {
        Self {
            body,
            piece: Vec::new(),
            has_ended: false,
            activity,
            reading,
        }
    }

    /// Reads until a piece is large enough to be passed on; returns an empty piece at the end.
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Result<Bytes, BoxError>> {
        while !self.has_ended && self.piece.len() < PIECE_BYTES {
            let polled = Pin::new(&mut self.body).poll_frame(context);
            if polled.is_pending() {
                self.activity.await_body();
                self.reading.watch(context.waker()).map_err(dropped)?;
            }
            let frame = ready!(polled);
            if !self.activity.resume() {
                let gone = "the connection was closed to make room for another";
                return Poll::Ready(Err(gone.into()));
            }
            match frame {
                // Trailers are ignored.
                Some(frame) => {
                    if let Ok(data) = frame?.into_data() {
                        self.reading.take(data.len()).map_err(dropped)?;
                        self.piece.extend_from_slice(&data);
                    }
                }
                None => {
                    self.has_ended = true;
                    self.reading.complete();
                }
            }
        }
        Poll::Ready(Ok(std::mem::take(&mut self.piece).into()))
    }
}

fn dropped(no_room: NoRoom) -> BoxError {
    io::Error::from(no_room).into()
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let piece = ready!(self.poll_piece(context));
        if piece.is_err() {
            self.piece = Vec::new();
        }
        let is_end = piece.as_ref().is_ok_and(Bytes::is_empty);
        Poll::Ready((!is_end).then(|| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && (self.has_ended || self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.body.size_hint();
        let piece = self.piece.len() as u64;
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower() + piece);
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper + piece);
        }
        hint
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !(self.has_ended || self.body.is_end_stream()) {
            self.activity.leave_unread();
        }
        self.activity.resume();
    }
}

/// A response's body. Once it is dropped, all of it has been written or never will be.
pub(super) struct AnswerBody {
    body: axum::body::Body,
    activity: Arc<Activity>,
}

impl AnswerBody {
    pub(super) fn new(body: axum::body::Body, activity: Arc<Activity>) -> Self {
        Self { body, activity }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.activity.answer();
    }
}
