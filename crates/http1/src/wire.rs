//! A stream with its inbox, and the waits on it: each ends with bytes, an end, or the alarm.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use crate::alarm::Alarm;
use crate::inbox::Inbox;
use crate::socket::Socket;

/// One end of an exchange.
#[derive(Debug)]
pub(crate) struct Wire<S> {
    pub(crate) socket: S,
    pub(crate) inbox: Inbox,
}

/// Why a wait ended without what it waited for.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// The alarm went off.
    #[error("the time is over")]
    TimedOut,
    /// The stream failed, or ended where it must not.
    #[error("the connection broke")]
    Io(#[from] io::Error),
}

impl Broken {
    pub(crate) fn ended() -> Self {
        Self::Io(io::ErrorKind::UnexpectedEof.into())
    }
}

impl<S: Socket> Wire<S> {
    /// Reads once more into the inbox; `false` at the end of the stream.
    pub(crate) async fn fill(&mut self, alarm: &Alarm) -> Result<bool, Broken> {
        poll_fn(|context| {
            if let Poll::Ready(read) = self.inbox.poll_fill(&mut self.socket, context) {
                return Poll::Ready(Ok(read? > 0));
            }
            alarm.poll_due(context).map(|()| Err(Broken::TimedOut))
        })
        .await
    }

    /// Writes `first` and then `second`, all of them.
    pub(crate) async fn write_all(
        &mut self,
        mut first: &[u8],
        mut second: &[u8],
        alarm: &Alarm,
    ) -> Result<(), Broken> {
        while !(first.is_empty() && second.is_empty()) {
            self.write_some(&mut first, &mut second, alarm).await?;
        }
        Ok(())
    }

    /// Writes as much as there is room for, at least something, and takes it off the two runs.
    pub(crate) async fn write_some(
        &mut self,
        first: &mut &[u8],
        second: &mut &[u8],
        alarm: &Alarm,
    ) -> Result<(), Broken> {
        let count = poll_fn(|context| {
            if let Poll::Ready(count) = self.socket.poll_write(context, first, second) {
                return Poll::Ready(count.map_err(Broken::Io));
            }
            alarm.poll_due(context).map(|()| Err(Broken::TimedOut))
        })
        .await?;
        written(first, second, count)
    }
}

/// Takes `count` written bytes off two runs.
pub(crate) fn written(first: &mut &[u8], second: &mut &[u8], count: usize) -> Result<(), Broken> {
    if count == 0 {
        return Err(Broken::Io(io::ErrorKind::WriteZero.into()));
    }
    let of_first = count.min(first.len());
    *first = &first[of_first..];
    *second = &second[count - of_first..];
    Ok(())
}
