//! Responses of upstreams that are read to be stored, whatever the caller takes meanwhile.

use std::cell::Cell;

use tollgate_cache::storable::Unstorable;
use tollgate_http1::Broken;
use tollgate_http1::relay::{self, Ahead};

use super::{Exchange, Failure};
use crate::buffered::{GaveWay, Room, Stage, or_give_way};
use crate::reply::Passed;
use crate::stored::Arriving;

impl Exchange<'_> {
    /// Streams the upstream's response after its head, and stores it once it has arrived, even if
    /// the caller leaves. If it turns out to be too long, has no room or has to give way, it only
    /// streams on.
    pub(super) async fn pass_ahead(
        &mut self,
        mut passed: Passed<'_>,
        mut arriving: Box<Arriving>,
        mut room: Box<Room>,
        head: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        self.begin_passed(&mut passed, head);
        let (coding, limits) = (self.coding, self.limits(passed.idle));
        let mut ahead = Ahead::new(head, coding);
        ahead.begin(passed.upstream.http1(), self.caller);
        let read = self.read_ahead(&mut passed, &mut ahead, &mut arriving, &mut room);
        let is_whole = read.await?;
        let body = ahead.take_body();
        let bytes = body.len() as u64;
        if is_whole {
            // The upstream's connection does not wait for the caller.
            passed.keep();
            let entry = arriving.store(body);
            room.shrink(bytes);
            room.stay();
            return self.write_ahead(ahead, &entry.body, &mut room).await;
        }
        drop(arriving);
        room.shrink(bytes);
        room.stay();
        self.write_ahead(ahead, &body, &mut room).await?;
        drop((body, room));
        let upstream = passed.upstream.http1();
        let relayed = relay::send_rest(upstream, self.caller, coding, limits).await;
        relayed.map_err(|error| self.unrelayed(&error, &passed))?;
        passed.keep();
        Ok(())
    }

    /// Reads the body, step by step, while the caller is sent what it takes; returns whether it is
    /// whole.
    async fn read_ahead(
        &mut self,
        passed: &mut Passed<'_>,
        ahead: &mut Ahead<'_>,
        arriving: &mut Arriving,
        room: &mut Room,
    ) -> Result<bool, Failure> {
        let limits = self.limits(passed.idle);
        let arrived = Cell::new(0);
        loop {
            let bytes_max = usize::try_from(arriving.need.held).unwrap_or(usize::MAX);
            let on_read = |bytes| arrived.set(bytes as u64);
            let upstream = passed.upstream.http1();
            let reading = ahead.read(upstream, self.caller, bytes_max, limits, on_read);
            match or_give_way(room, Stage::Upstream, || arrived.get(), reading).await {
                Ok(Ok(true)) => return Ok(true),
                Ok(Ok(false)) => {}
                Ok(Err(error)) => {
                    arriving.fetching.fail();
                    return Err(self.unrelayed(&error, passed));
                }
                Err(GaveWay) => return Ok(false),
            }
            if ahead.body_bytes() as u64 > arriving.body_bytes_max {
                arriving.fetching.replace(Unstorable::TooLong);
                return Ok(false);
            }
            arriving.need = arriving.need.next(arriving.body_bytes_max);
            if !room.try_take_or_ask(arriving.need) {
                return Ok(false);
            }
        }
    }

    /// Writes what the caller has not taken of a body that was read ahead.
    async fn write_ahead(
        &mut self,
        mut ahead: Ahead<'_>,
        body: &[u8],
        room: &mut Room,
    ) -> Result<(), Failure> {
        let moved = Cell::new(0);
        let on_moved = |count| moved.set(moved.get() + count as u64);
        let written = ahead.write_rest(self.caller, body, self.idle, on_moved);
        let cut = match or_give_way(room, Stage::Reader, || moved.get(), written).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(Broken::TimedOut(late))) => self.late_answer(late, self.bytes_out()),
            Ok(Err(Broken::Io(_))) => return Err(Failure::Cut),
            Err(GaveWay) => self.answer_gave_way(self.bytes_out()),
        };
        Err(Failure::AnswerCut(cut))
    }
}
