//! Waits for something else than the two sides of an exchange.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::Poll;

use super::Server;
use crate::connection::Broken;
use crate::socket::Socket;

impl<S: Socket> Server<S> {
    /// Waits for a future until the deadline, or until the caller leaves; the head stays. Like
    /// [`answer`](crate::client::Client::answer), it takes a caller that closes only its own
    /// direction as gone.
    ///
    /// # Errors
    /// [`Broken::TimedOut`] once the deadline has passed, [`Broken::Io`] if the caller left.
    pub async fn wait_for<F: Future + Unpin>(
        &mut self,
        awaited: &mut F,
    ) -> Result<F::Output, Broken> {
        let Self {
            connection,
            deadline,
            ..
        } = self;
        poll_fn(|context| {
            if let Poll::Ready(output) = Pin::new(&mut *awaited).poll(context) {
                return Poll::Ready(Ok(output));
            }
            // The end of the stream is behind what has been sent before, such as more requests.
            loop {
                match connection.buffer.poll_fill(&mut connection.socket, context) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Err(Broken::ended())),
                    Poll::Ready(Ok(_)) => {}
                    // They are longer than is kept of them.
                    Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::OutOfMemory => break,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                    Poll::Pending => break,
                }
            }
            let due = deadline.poll_due(context);
            due.map(|late| Err(Broken::TimedOut(late)))
        })
        .await
    }
}

#[cfg(test)]
mod tests;
