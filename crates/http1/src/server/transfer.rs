//! The time of an exchange, and of the transfers of its bodies.

use std::task::Context;
use std::time::Duration;

use super::Server;
use crate::connection::Broken;
use crate::deadline::Late;
use crate::pace::{Floor, Pace};
use crate::socket::Socket;

/// Bounds of an exchange's time besides those of each wait.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// From the request's head to the answer's, without the time in which the request's body comes.
    pub exchange: Duration,
    /// Of the transfer of a body, in either direction, if that is bounded.
    pub transfer: Option<Duration>,
    /// What a side must move that is waited for in a transfer.
    pub floor: Floor,
}

impl<S: Socket> Server<S> {
    /// An exchange begins: its time is bounded until its body or its answer is under way.
    pub fn begin_exchange(&mut self) {
        self.is_uploading = false;
        self.deadline.limit(self.times.exchange, Late::Exchange);
    }

    /// The request's body is waited for: from the first wait on, the bounds are those of its
    /// transfer.
    pub(crate) fn begin_upload(&mut self) {
        if !std::mem::replace(&mut self.is_uploading, true) {
            self.begin_transfer();
        }
    }

    /// Nothing more of the body is waited for. If it was, the time of the exchange begins anew.
    pub(crate) fn end_upload(&mut self) {
        if std::mem::take(&mut self.is_uploading) {
            self.deadline.limit(self.times.exchange, Late::Exchange);
        }
    }

    /// An answer is on its way to the caller: the bounds are those of its transfer.
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

    /// Reads more of the body, within the bounds of its transfer; `false` at the end of the stream.
    pub(crate) async fn fill_body(&mut self, idle: Duration) -> Result<bool, Broken> {
        self.begin_upload();
        self.pace.wait(&self.deadline, idle);
        let before = self.connection.buffer.bytes().len();
        let is_more = self.connection.fill(&self.deadline).await?;
        let count = self.connection.buffer.bytes().len() - before;
        self.pace.moved(&self.deadline, count);
        Ok(is_more)
    }

    /// Writes an answer: its head, and its body behind it. The time begins anew whenever the
    /// caller has taken something.
    ///
    /// # Errors
    /// [`Broken`] when the caller left or does not read.
    pub async fn write_both(
        &mut self,
        head: &[u8],
        body: &[u8],
        idle: Duration,
    ) -> Result<(), Broken> {
        self.begin_answer();
        self.write_part(head, body, idle).await
    }

    /// Writes a part of an answer that has [begun](Self::begin_answer).
    pub(crate) async fn write_part(
        &mut self,
        mut first: &[u8],
        mut second: &[u8],
        idle: Duration,
    ) -> Result<(), Broken> {
        let Self {
            connection,
            deadline,
            pace,
            ..
        } = self;
        while !(first.is_empty() && second.is_empty()) {
            let late = |context: &Context<'_>| pace.poll_late(deadline, idle, context);
            let written = connection.write_some(&mut first, &mut second, late);
            let count = written.await?;
            pace.moved(deadline, count);
        }
        Ok(())
    }
}
