//! Time limits of an exchange and of the transfers of its bodies.

use std::task::{Context, Poll};
use std::time::Duration;

use super::Server;
use crate::connection::Broken;
use crate::deadline::Late;
use crate::pace::{Floor, Pace};
use crate::socket::Socket;

/// Time limits of an exchange, in addition to those of each wait.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// From the request's head to the response's, without the transfer of the request's body.
    pub exchange: Duration,
    /// For the transfer of a body, in either direction, if limited.
    pub transfer: Option<Duration>,
    /// The minimum rate of a side that a transfer waits for.
    pub floor: Floor,
}

/// Counts the body of a response while it is written.
#[derive(Debug, Default)]
pub struct Answered {
    bytes: u64,
    /// Bytes of the current part that are not body data and not written yet.
    framing: u64,
}

impl Answered {
    /// Body bytes that the stream has accepted, framing not counted.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Begins a part with this many bytes of head and framing. They count as written first: of a
    /// part that is cut, never more is counted than was written of it.
    pub(crate) const fn begin_part(&mut self, framing: u64) {
        self.framing = framing;
    }

    const fn add(&mut self, written: u64) {
        self.bytes += written.saturating_sub(self.framing);
        self.framing = self.framing.saturating_sub(written);
    }
}

impl<S: Socket> Server<S> {
    /// Begins an exchange: limits its time until its body or its response is being transferred.
    pub fn begin_exchange(&mut self) {
        self.is_uploading = false;
        self.answered = Answered::default();
        self.deadline.limit(self.times.exchange, Late::Exchange);
    }

    /// Begins the transfer of the request's body: from the first wait on, its limits apply.
    pub(crate) fn begin_upload(&mut self) {
        if !std::mem::replace(&mut self.is_uploading, true) {
            self.begin_transfer();
        }
    }

    /// Ends the wait for the request's body. If there was one, the time of the exchange starts
    /// anew.
    pub(crate) fn end_upload(&mut self) {
        if std::mem::take(&mut self.is_uploading) {
            self.deadline.limit(self.times.exchange, Late::Exchange);
        }
    }

    /// Begins the transfer of a response to the caller: its limits apply.
    pub(crate) fn begin_answer(&mut self) {
        self.is_uploading = false;
        self.begin_transfer();
    }

    fn begin_transfer(&mut self) {
        self.pace = Pace::new(self.times.floor);
        match self.times.transfer {
            Some(time) => self.deadline.limit(time, Late::Transfer),
            None => self.deadline.unlimit(),
        }
    }

    /// Reads more of the body, within the limits of its transfer; `false` at the end of the stream.
    pub(crate) async fn fill_body(&mut self, idle: Duration) -> Result<bool, Broken> {
        self.begin_upload();
        self.pace.wait(&self.deadline, idle);
        let before = self.connection.buffer.bytes().len();
        let is_more = self.connection.fill(&self.deadline).await?;
        let count = self.connection.buffer.bytes().len() - before;
        self.pace.add_moved(&self.deadline, count);
        Ok(is_more)
    }

    /// Writes a response in two runs, of which the last `body_bytes` are its body. The timeout
    /// restarts whenever the caller has read something; `on_moved` is called with the count.
    ///
    /// # Errors
    /// [`Broken`] if the caller left or does not read.
    pub async fn write_whole(
        &mut self,
        first: &[u8],
        second: &[u8],
        body_bytes: usize,
        idle: Duration,
        on_moved: impl FnMut(usize),
    ) -> Result<(), Broken> {
        self.begin_answer();
        let framing = (first.len() + second.len()).saturating_sub(body_bytes);
        self.answered.begin_part(framing as u64);
        self.write_part(first, second, idle, on_moved).await
    }

    /// Writes once of the two runs of a part, like [`write_part`](Self::write_part); returns how
    /// much.
    pub(crate) fn poll_write_part(
        &mut self,
        first: &[u8],
        second: &[u8],
        idle: Duration,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize, Broken>> {
        let socket = &mut self.connection.socket;
        let Poll::Ready(count) = socket.poll_write(context, first, second) else {
            let late = self.pace.poll_late(&self.deadline, idle, context);
            return late.map(|late| Err(Broken::TimedOut(late)));
        };
        let count = count?;
        self.pace.add_moved(&self.deadline, count);
        self.answered.add(count as u64);
        Poll::Ready(Ok(count))
    }

    /// Writes a part of a response that has [begun](Self::begin_answer).
    pub(crate) async fn write_part(
        &mut self,
        mut first: &[u8],
        mut second: &[u8],
        idle: Duration,
        mut on_moved: impl FnMut(usize),
    ) -> Result<(), Broken> {
        let Self {
            connection,
            deadline,
            pace,
            answered,
            ..
        } = self;
        while !(first.is_empty() && second.is_empty()) {
            let late = |context: &Context<'_>| pace.poll_late(deadline, idle, context);
            let written = connection.write_some(&mut first, &mut second, late);
            let count = written.await?;
            pace.add_moved(deadline, count);
            answered.add(count as u64);
            on_moved(count);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
