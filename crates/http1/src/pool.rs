//! Connections to one upstream, last in first out: the warmest one is used next, the coldest
//! expires.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::task::{Poll, Waker};

use crate::client::Client;
use crate::deadline::Deadline;
use crate::socket::Socket;

/// The connections of one worker to one upstream.
#[derive(Debug)]
pub struct Pool<S> {
    idle: RefCell<Vec<Idle<S>>>,
    /// Open connections, including idle ones.
    open: Cell<u32>,
    waiting: RefCell<VecDeque<Rc<Waiting>>>,
}

#[derive(Debug)]
struct Idle<S> {
    // Boxed, since it moves with every exchange.
    client: Box<Client<S>>,
    sweeps: u32,
}

#[derive(Debug, Default)]
struct Waiting {
    waker: RefCell<Option<Waker>>,
    is_woken: Cell<bool>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum NoConnection<E> {
    /// All were in use until the deadline.
    #[error("no connection became free in time")]
    Busy,
    /// The connection could not be opened.
    #[error("no connection could be opened")]
    Connect(#[source] E),
}

impl<S> Default for Pool<S> {
    fn default() -> Self {
        Self {
            idle: RefCell::default(),
            open: Cell::new(0),
            waiting: RefCell::default(),
        }
    }
}

impl<S: Socket> Pool<S> {
    /// Returns an idle connection, or a new one from `connect`, or the first of `connections_max`
    /// that becomes free before the deadline.
    ///
    /// # Errors
    /// [`NoConnection`].
    pub async fn take<E>(
        self: &Rc<Self>,
        connections_max: u32,
        deadline: &Deadline,
        connect: impl AsyncFn() -> Result<Client<S>, E>,
    ) -> Result<Lease<S>, NoConnection<E>> {
        loop {
            if let Some(lease) = self.take_idle() {
                return Ok(lease);
            }
            if self.open.get() < connections_max {
                return self.fresh(connect).await;
            }
            self.wait(deadline).await?;
        }
    }

    /// Returns an idle connection without waiting, if there is one.
    pub fn take_idle(self: &Rc<Self>) -> Option<Lease<S>> {
        let mut idle = self.idle.borrow_mut();
        while let Some(Idle { mut client, .. }) = idle.pop() {
            if !client.is_stale() {
                client.is_reused = true;
                return Some(Lease {
                    pool: Rc::clone(self),
                    client: Some(client),
                });
            }
            self.open.set(self.open.get() - 1);
        }
        None
    }

    /// Opens a new connection even if others are idle: used after a stale one.
    ///
    /// # Errors
    /// [`NoConnection::Connect`].
    pub async fn fresh<E>(
        self: &Rc<Self>,
        connect: impl AsyncFn() -> Result<Client<S>, E>,
    ) -> Result<Lease<S>, NoConnection<E>> {
        self.open.set(self.open.get() + 1);
        let mut lease = Lease {
            pool: Rc::clone(self),
            client: None,
        };
        let client = connect().await.map_err(NoConnection::Connect)?;
        lease.client = Some(Box::new(client));
        Ok(lease)
    }

    /// Drops idle connections that ended, and those not used for `sweeps_max` sweeps.
    pub fn sweep(&self, sweeps_max: u32) {
        let mut idle = self.idle.borrow_mut();
        let before = idle.len();
        idle.retain_mut(|one| {
            one.sweeps += 1;
            one.sweeps <= sweeps_max && !one.client.is_stale()
        });
        let gone = u32::try_from(before - idle.len()).expect("connections are bounded");
        self.open.set(self.open.get() - gone);
    }

    async fn wait<E>(&self, deadline: &Deadline) -> Result<(), NoConnection<E>> {
        let waiting = Rc::new(Waiting::default());
        self.waiting.borrow_mut().push_back(Rc::clone(&waiting));
        let woken = poll_fn(|context| {
            if waiting.is_woken.get() {
                return Poll::Ready(Ok(()));
            }
            *waiting.waker.borrow_mut() = Some(context.waker().clone());
            deadline.poll_due(context).map(|_| Err(NoConnection::Busy))
        });
        let woken = woken.await;
        if woken.is_err() {
            self.waiting
                .borrow_mut()
                .retain(|other| !Rc::ptr_eq(other, &waiting));
        }
        woken
    }

    fn wake_next(&self) {
        if let Some(next) = self.waiting.borrow_mut().pop_front() {
            next.is_woken.set(true);
            if let Some(waker) = next.waker.take() {
                waker.wake();
            }
        }
    }
}

/// A connection in use. Dropping it closes the connection; [`Lease::keep`] returns it to the pool.
#[derive(Debug)]
pub struct Lease<S: Socket> {
    pool: Rc<Pool<S>>,
    client: Option<Box<Client<S>>>,
}

/// The reason why a lease always has its connection.
const HELD: &str = "a lease holds its connection until kept or dropped";

impl<S: Socket> Deref for Lease<S> {
    type Target = Client<S>;
    fn deref(&self) -> &Client<S> {
        self.client.as_ref().expect(HELD)
    }
}

impl<S: Socket> DerefMut for Lease<S> {
    fn deref_mut(&mut self) -> &mut Client<S> {
        self.client.as_mut().expect(HELD)
    }
}

impl<S: Socket> Lease<S> {
    /// Returns the connection to the pool if it can be reused, and closes it otherwise.
    pub fn keep(mut self) {
        if let Some(client) = self.client.take_if(|client| client.is_reusable()) {
            self.pool.idle.borrow_mut().push(Idle { client, sweeps: 0 });
            self.pool.open.set(self.pool.open.get() + 1);
        }
    }
}

impl<S: Socket> Drop for Lease<S> {
    fn drop(&mut self) {
        self.pool.open.set(self.pool.open.get() - 1);
        self.pool.wake_next();
    }
}

#[cfg(test)]
mod tests;
