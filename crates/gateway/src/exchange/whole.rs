//! Bodies that are read whole, each in its [room](crate::buffered).

use std::future::{Future as _, poll_fn};
use std::mem;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tollgate_http1::Broken;
use tollgate_http1::whole::{Reading, Unread, WholeBody};
use tollgate_model::refusal::Refusal;

use super::answer::body_place;
use super::late::cause;
use super::{Exchange, Failure};
use crate::buffered::{FIRST_BYTES, Held, Room};
use crate::refusal::Refused;
use crate::reply::{Body, Reply};
use crate::wire::connection::BodyLength;
use crate::worker::Worker;
use crate::worker::warnings::chain;

/// Begins to read a body of at most `bytes_max` bytes; returns how much room it needs at first.
/// `None` if it is longer.
fn begin(length: BodyLength, bytes_max: u64) -> Option<(Reading, u64)> {
    let reading = Reading::new(bytes_max);
    match length {
        BodyLength::None => Some((reading, 0)),
        BodyLength::Known(bytes) => (bytes <= bytes_max).then_some((reading, bytes)),
        BodyLength::Unknown => {
            let first = bytes_max.min(FIRST_BYTES as u64);
            Some((reading.pausing(FIRST_BYTES), first))
        }
    }
}

impl Exchange<'_> {
    /// Keeps the head while the body is read, until [`Self::park`] or [`Self::invite_body`].
    pub(crate) fn keep_head(&mut self) {
        self.caller.keep_head();
    }

    /// Reads the request's whole body. Drops the head unless it is [kept](Self::keep_head).
    ///
    /// # Errors
    /// Fails if the body is longer than `bytes_max`, finds no room, or does not arrive.
    pub(crate) async fn read_body(
        &mut self,
        bytes_max: u64,
        worker: &Worker,
    ) -> Result<Held<WholeBody>, Failure> {
        let bytes_max = bytes_max.min(worker.buffered.body_bytes_max());
        let begun = begin(self.body_length(), bytes_max);
        let (mut reading, bytes) = begun.ok_or(Refusal::BodyTooLarge)?;
        let mut room = worker.buffered.room();
        if !room.try_grow(bytes) {
            return Err(Refused::busy().into());
        }
        loop {
            let read = self.caller.read_body(&mut reading, self.idle).await;
            if let Some(body) = read.map_err(|unread| self.unread_body(&unread))? {
                room.shrink(body.len());
                return Ok(Held { body, room });
            }
            if !room.try_grow(bytes_max) {
                return Err(Refused::busy().into());
            }
        }
    }

    fn unread_body(&mut self, unread: &Unread) -> Failure {
        match unread {
            Unread::TooLarge => Refusal::BodyTooLarge.into(),
            Unread::Malformed(_) => {
                let detail = "The chunked body is malformed.";
                Refused::because(Refusal::BadRequest, detail).into()
            }
            Unread::Broken(Broken::TimedOut(late)) => self.late_body(*late).into(),
            Unread::Broken(Broken::Io(_)) | Unread::CallerLeft => Failure::Cut,
        }
    }

    /// Reads the whole body of an upstream's response, at most `bytes_max`, unless the caller
    /// leaves meanwhile; waits for room. Other bodies stay unchanged.
    ///
    /// # Errors
    /// Fails if the body is longer, is malformed, or does not arrive, or if no room becomes free
    /// within the time of the exchange.
    pub(crate) async fn read_whole(
        &mut self,
        reply: &mut Reply<'_>,
        bytes_max: u64,
        worker: &Worker,
    ) -> Result<(), Failure> {
        let Body::Passed(passed) = &mut reply.body else {
            return Ok(());
        };
        let bytes_max = bytes_max.min(worker.buffered.body_bytes_max());
        let length = passed.upstream.head().framing.into();
        let Some((mut reading, bytes)) = begin(length, bytes_max) else {
            return Err(unread(&Unread::TooLarge, passed.authority, 0));
        };
        let mut room = worker.buffered.room();
        self.wait_for_room(&mut room, bytes, passed.authority)
            .await?;
        let whole = loop {
            let http1 = passed.upstream.http1();
            let read = http1.read_body(self.caller, &mut reading, passed.idle);
            let read = read.await;
            let bytes = passed.upstream.body_bytes();
            let read = read.map_err(|error| unread(&error, passed.authority, bytes))?;
            match read {
                Some(whole) => break whole,
                None => {
                    let wait = self.wait_for_room(&mut room, bytes_max, passed.authority);
                    wait.await?;
                }
            }
        };
        room.shrink(whole.len());
        reply.room = Some(room);
        if let Body::Passed(passed) = mem::replace(&mut reply.body, Body::Whole(whole)) {
            passed.keep();
        }
        Ok(())
    }

    /// Waits for the room of a response. A refusal after the upstream has done its work would
    /// invite the caller to have it done twice.
    async fn wait_for_room(
        &mut self,
        room: &mut Room,
        bytes: u64,
        authority: &str,
    ) -> Result<(), Failure> {
        if room.try_grow(bytes) {
            return Ok(());
        }
        let deadline = &self.caller.deadline;
        // Only the limit of the exchange ends the wait.
        deadline.set(Duration::MAX);
        let mut growing = pin!(room.grow(bytes));
        let waited = poll_fn(|context| match growing.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Ok(())),
            Poll::Pending => deadline.poll_due(context).map(Err),
        });
        waited.await.map_err(|late| {
            let cause = format!("no room in gateway.buffered_bytes_max: {}", cause(late));
            let refused = Refused::from(Refusal::UpstreamTimeout).caused_by(cause);
            Failure::Refused(refused.at(authority))
        })
    }
}

/// The failure for a response that was not read to its end, after `bytes` of its body.
fn unread(error: &Unread, authority: &str, bytes: u64) -> Failure {
    let refusal = match error {
        Unread::TooLarge => Refusal::UpstreamTooLarge,
        Unread::Broken(Broken::TimedOut(late)) => {
            let refused = Refused::from(Refusal::UpstreamTimeout);
            let refused = refused.caused_by(cause(*late).to_owned());
            return Failure::Refused(refused.at(&body_place(authority, bytes)));
        }
        Unread::Broken(Broken::Io(_)) | Unread::Malformed(_) => Refusal::UpstreamBroken,
        Unread::CallerLeft => return Failure::Cut,
    };
    let refused = Refused::from(refusal).caused_by(chain(error));
    Failure::Refused(refused.at(&body_place(authority, bytes)))
}
