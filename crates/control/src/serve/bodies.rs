//! The bodies of requests and answers, which tell `places.rs` what their connection waits for.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::places::Activity;

/// A request's body. While more of it is waited for, its connection may have to give its place to
/// another; nothing has happened then, since handlers read a body whole before they act.
pub(super) struct RequestBody {
    body: Incoming,
    /// Whether its end was read.
    has_ended: bool,
    activity: Arc<Activity>,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, activity: Arc<Activity>) -> Self {
        Self {
            body,
            has_ended: false,
            activity,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_pending() {
            self.activity.await_body();
        }
        let frame = ready!(polled);
        if !self.activity.resume() {
            let gone = "the connection has given its place to another";
            return Poll::Ready(Some(Err(gone.into())));
        }
        self.has_ended = frame.is_none();
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
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

/// An answer's body; when it is dropped, all of it is written or never will be.
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
