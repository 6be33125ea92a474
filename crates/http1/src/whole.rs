//! Bodies read to their end: for messages of which nothing goes on before all of it was seen.

use std::time::Duration;

use crate::body::Body;
use crate::chunked::NotChunked;
use crate::client::{Client, NoAnswer};
use crate::inbox::Inbox;
use crate::server::Server;
use crate::socket::Socket;
use crate::wire::Broken;

/// Why a body was not read to its end; its connection cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It has more bytes than are read.
    #[error("the body is larger than is read")]
    TooLarge,
    /// Its chunks are malformed.
    #[error("the body is not well-formed")]
    Malformed(#[from] NotChunked),
    /// It stopped coming.
    #[error("the body did not come to its end")]
    Broken(#[from] Broken),
    /// The caller has left: nobody waits for an answer any more.
    #[error("the caller left while an answer came")]
    CallerLeft,
}

impl<S: Socket> Server<S> {
    /// Appends the body to `out`, and asks for it where the caller waits to be asked. The head is
    /// gone afterwards.
    ///
    /// # Errors
    /// [`Unread`]; only a last answer may follow.
    pub async fn read_body(
        &mut self,
        out: &mut Vec<u8>,
        bytes_max: u64,
        idle: Duration,
    ) -> Result<(), Unread> {
        self.begin_body();
        while !take(&mut self.wire.inbox, &mut self.body, out, bytes_max)? {
            self.invite_body().await?;
            self.alarm.set(idle);
            if !self.wire.fill(&self.alarm).await? {
                return Err(Broken::ended().into());
            }
        }
        Ok(())
    }
}

impl<S: Socket> Client<S> {
    /// Appends the answer's body to `out`, for a caller who may leave meanwhile and whose alarm is
    /// used. The head is gone afterwards.
    ///
    /// # Errors
    /// [`Unread`].
    pub async fn read_body<C: Socket>(
        &mut self,
        caller: &mut Server<C>,
        out: &mut Vec<u8>,
        (bytes_max, idle): (u64, Duration),
    ) -> Result<(), Unread> {
        self.begin_body();
        while !take(&mut self.wire.inbox, &mut self.body, out, bytes_max)? {
            caller.alarm.set(idle);
            if !self.fill_for(caller).await? && !self.body.end() {
                return Err(Broken::ended().into());
            }
        }
        Ok(())
    }
}

/// Room that is made for a body because its length was announced; a larger one has to come first.
const RESERVED_BYTES_MAX: usize = 256 * 1024;

/// Moves what has come of a body; whether that was the end of it.
fn take(
    inbox: &mut Inbox,
    body: &mut Body,
    out: &mut Vec<u8>,
    bytes_max: u64,
) -> Result<bool, Unread> {
    if body
        .rest()
        .is_some_and(|rest| rest > bytes_max.saturating_sub(body.bytes))
    {
        return Err(Unread::TooLarge);
    }
    if let Some(rest) = body.rest() {
        out.reserve(
            usize::try_from(rest).map_or(RESERVED_BYTES_MAX, |it| it.min(RESERVED_BYTES_MAX)),
        );
    }
    let bytes = inbox.bytes();
    let mut consumed = 0;
    let mut taken = Ok(());
    while !body.is_done() && consumed < bytes.len() {
        match body.take(&bytes[consumed..]) {
            Ok((0, _)) => break,
            Ok((count, data)) => {
                if body.bytes > bytes_max {
                    taken = Err(Unread::TooLarge);
                    break;
                }
                out.extend_from_slice(&bytes[consumed..][data]);
                consumed += count;
            }
            Err(error) => {
                taken = Err(error.into());
                break;
            }
        }
    }
    // Also where the body is refused: `body` is past these bytes. Were they still here, they would
    // be taken for the next message.
    inbox.consume(if taken.is_ok() { consumed } else { bytes.len() });
    taken.map(|()| body.is_done())
}

impl From<NoAnswer> for Unread {
    fn from(error: NoAnswer) -> Self {
        match error {
            NoAnswer::CallerLeft => Self::CallerLeft,
            NoAnswer::Broken(broken) => Self::Broken(broken),
            NoAnswer::Closed | NoAnswer::Malformed(_) => Self::Broken(Broken::ended()),
        }
    }
}

#[cfg(test)]
mod tests;
