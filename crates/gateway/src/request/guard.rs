//! The end of a call, however it comes: its record is written, and its limits are settled.

use tollgate_counters::End;

use crate::exchange::Exchange;
use crate::record::{ARE_RECORDED, RecordBuilder};

/// Writes a call's record when dropped: at the end of the request, and also if that never comes,
/// because the drain's grace period ended or a room panicked. It holds the exchange, so that the
/// bytes moved until then are known however the call ends.
#[derive(Debug)]
pub(crate) struct RecordGuard<'g, 'e> {
    pub(crate) record: &'g mut RecordBuilder,
    pub(crate) exchange: &'g mut Exchange<'e>,
    has_ended: bool,
}

impl<'g, 'e> RecordGuard<'g, 'e> {
    pub(crate) fn new(record: &'g mut RecordBuilder, exchange: &'g mut Exchange<'e>) -> Self {
        Self {
            record,
            exchange,
            has_ended: false,
        }
    }

    pub(crate) fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for RecordGuard<'_, '_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.record.cut();
        }
        let (bytes_in, bytes_out) = (self.exchange.bytes_in(), self.exchange.bytes_out());
        self.record.body_bytes(bytes_in, bytes_out);
        let worker = self.exchange.worker();
        let now_us = worker.clock.now_us();
        let has_failed = self.record.has_failed();
        self.record.owed().settle(End {
            now_us,
            bytes_in,
            bytes_out,
            has_failed,
        });
        if ARE_RECORDED {
            worker.record_writer.write(self.record.finish(now_us));
        }
    }
}

#[cfg(test)]
mod tests;
