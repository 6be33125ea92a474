//! Bodies that are read whole, each in its [room](crate::buffered).

use std::future::{Future as _, poll_fn};
use std::mem;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tollgate_http1::Broken;
use tollgate_http1::deadline::Late;
use tollgate_http1::whole::{Reading, Unread, WholeBody};
use tollgate_model::refusal::Refusal;

use super::answer::body_place;
use super::late::{GAVE_WAY, cause};
use super::{Exchange, Failure};
use crate::buffered::{GaveWay, Held, Holder, Need, NoRoom, Room, STEP_BYTES, Stage, or_give_way};
use crate::refusal::Refused;
use crate::reply::{Body, Passed, Reply};
use crate::wire::connection::BodyLength;
use crate::worker::warnings::chain;

/// A body that is read within its bound, step by step.
struct Steps {
    reading: Reading,
    need: Need,
    bytes_max: u64,
}

impl Steps {
    /// Begins to read a body of at most `bytes_max` bytes; `None` if it is longer.
    fn begin(length: BodyLength, bytes_max: u64) -> Option<Self> {
        let (announced, bytes_max) = match length {
            BodyLength::None => (0, 0),
            BodyLength::Known(bytes) if bytes > bytes_max => return None,
            BodyLength::Known(bytes) => (bytes, bytes),
            BodyLength::Unknown => (bytes_max.min(STEP_BYTES), bytes_max),
        };
        let need = Need::first(announced);
        let mut reading = Reading::new(bytes_max);
        reading.pause_at(need.held);
        Some(Self {
            reading,
            need,
            bytes_max,
        })
    }

    /// Moves on to the next step.
    fn step(&mut self) {
        self.need = self.need.next(self.bytes_max);
        self.reading.pause_at(self.need.held);
    }
}

impl Exchange<'_> {
    /// Returns an empty room for a body of this exchange.
    pub(crate) fn room(&self) -> Room {
        let holder = match self.owner.get() {
            Some(owner) => Holder::User(owner),
            None => Holder::from_address(self.address),
        };
        self.worker.buffered.room(holder)
    }

    /// Keeps the head while the body is read, until [`Self::park`] or [`Self::invite_body`].
    pub(crate) fn keep_head(&mut self) {
        self.caller.keep_head();
    }

    /// Reads the request's whole body. Drops the head unless it is [kept](Self::keep_head).
    ///
    /// # Errors
    /// Fails if the body is longer than `bytes_max`, finds no room, has to give way, or does not
    /// arrive.
    pub(crate) async fn read_body(&mut self, bytes_max: u64) -> Result<Held<WholeBody>, Failure> {
        let bytes_max = bytes_max.min(self.worker.buffered.body_bytes_max());
        let begun = Steps::begin(self.body_length(), bytes_max);
        let mut steps = begun.ok_or(Refusal::BodyTooLarge)?;
        let mut room = self.room();
        loop {
            let taken = room.take_for_request(steps.need).await;
            taken.map_err(|no_room| self.no_room(no_room))?;
            let read = self.caller.read_body(&mut steps.reading, self.idle);
            let read = or_give_way(&mut room, Stage::Request, || 0, read).await;
            let read = read.map_err(|GaveWay| self.no_room(NoRoom::GaveWay))?;
            if let Some(body) = read.map_err(|unread| self.unread_body(&unread))? {
                room.stay();
                room.shrink(body.len() as u64);
                return Ok(Held { body, room });
            }
            steps.step();
        }
    }

    fn no_room(&mut self, no_room: NoRoom) -> Refused {
        match no_room {
            NoRoom::Busy => Refused::busy(),
            NoRoom::GaveWay => self.body_gave_way(),
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
    /// Fails if the body is longer, is malformed, has to give way, or does not arrive, or if no
    /// room becomes free within the time of the exchange.
    pub(crate) async fn read_whole(
        &mut self,
        reply: &mut Reply<'_>,
        bytes_max: u64,
    ) -> Result<(), Failure> {
        let Body::Passed(passed) = &mut reply.body else {
            return Ok(());
        };
        let bytes_max = bytes_max.min(self.worker.buffered.body_bytes_max());
        let length = passed.upstream.head().framing.into();
        let Some(mut steps) = Steps::begin(length, bytes_max) else {
            return Err(unread(&Unread::TooLarge, passed.authority, 0));
        };
        let mut room = self.room();
        let stage = match self.is_safe {
            true => Stage::Upstream,
            false => Stage::UnsafeUpstream,
        };
        let whole = loop {
            let wait = self.wait_for_room(&mut room, steps.need, stage, passed);
            wait.await?;
            let http1 = passed.upstream.http1();
            let read = http1.read_body(self.caller, &mut steps.reading, passed.idle);
            let read = or_give_way(&mut room, stage, || 0, read).await;
            let read = read.map_err(|GaveWay| response_gave_way(passed))?;
            let bytes = passed.upstream.body_bytes();
            let read = read.map_err(|error| unread(&error, passed.authority, bytes))?;
            if let Some(whole) = read {
                break whole;
            }
            steps.step();
        };
        room.stay();
        room.shrink(whole.len() as u64);
        reply.room = Some(Box::new(room));
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
        need: Need,
        stage: Stage,
        passed: &Passed<'_>,
    ) -> Result<(), Failure> {
        if room.try_take(need) {
            return Ok(());
        }
        let deadline = &self.caller.deadline;
        // Only the limit of the exchange ends the wait.
        deadline.set(Duration::MAX);
        let mut taking = pin!(room.take_for_response(need, stage));
        let waited = poll_fn(|context| match taking.as_mut().poll(context) {
            Poll::Ready(taken) => Poll::Ready(Ok(taken)),
            Poll::Pending => deadline.poll_due(context).map(Err),
        });
        match waited.await {
            Ok(taken) => taken.map_err(|GaveWay| response_gave_way(passed)),
            Err(late) => Err(no_room_in_time(late, passed)),
        }
    }
}

fn no_room_in_time(late: Late, passed: &Passed<'_>) -> Failure {
    let cause = format!("no room in gateway.buffered_bytes_max: {}", cause(late));
    let refused = Refused::from(Refusal::UpstreamTimeout).caused_by(cause);
    Failure::Refused(refused.at(passed.authority))
}

/// The failure for a response that had to give way while the upstream sent it.
fn response_gave_way(passed: &Passed<'_>) -> Failure {
    let place = body_place(passed.authority, passed.upstream.body_bytes());
    let refused = Refused::from(Refusal::UpstreamTimeout).caused_by(GAVE_WAY.to_owned());
    Failure::Refused(refused.at(&place))
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
