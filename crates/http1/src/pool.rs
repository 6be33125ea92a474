//! Connections to one upstream, last in first out: the warmest is used next, the coldest dies.

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
    /// Connections that stand, idle ones included.
    open: Cell<u32>,
    waiting: RefCell<VecDeque<Rc<Waiting>>>,
}

#[derive(Debug)]
struct Idle<S> {
    // Boxed: it moves from hand to hand with every exchange.
    client: Box<Client<S>>,
    sweeps: u32,
}

#[derive(Debug, Default)]
struct Waiting {
    waker: RefCell<Option<Waker>>,
    is_called: Cell<bool>,
}

/// Why no connection could be had.
#[derive(Debug, thiserror::Error)]
pub enum NoConnection<E> {
    /// All were in use until the deadline.
    #[error("no connection became free in time")]
    Busy,
    /// No connection could be made.
    #[error("no connection could be made")]
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
    /// An idle connection, or a fresh one from `connect`, or the first that becomes free among
    /// `connections_max`; until the deadline.
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

    /// An idle connection, if there is one: without waiting for anything.
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

    /// A fresh connection, whatever is idle: after one that turned out to be stale.
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
        let called = poll_fn(|context| {
            if waiting.is_called.get() {
                return Poll::Ready(Ok(()));
            }
            *waiting.waker.borrow_mut() = Some(context.waker().clone());
            deadline.poll_due(context).map(|_| Err(NoConnection::Busy))
        });
        let called = called.await;
        if called.is_err() {
            self.waiting
                .borrow_mut()
                .retain(|other| !Rc::ptr_eq(other, &waiting));
        }
        called
    }

    fn call_next(&self) {
        if let Some(next) = self.waiting.borrow_mut().pop_front() {
            next.is_called.set(true);
            if let Some(waker) = next.waker.take() {
                waker.wake();
            }
        }
    }
}

/// A connection in use. Dropped, it is closed; [kept](Lease::keep), it goes back.
#[derive(Debug)]
pub struct Lease<S: Socket> {
    pool: Rc<Pool<S>>,
    client: Option<Box<Client<S>>>,
}

/// Why a lease has its connection whenever somebody sees it.
const HELD: &str = "a lease holds its connection until it is kept or dropped";

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
    /// Gives the connection back for the next exchange, if it can go on; closes it otherwise.
    pub fn keep(mut self) {
        if let Some(client) = self.client.take_if(|client| client.can_go_on()) {
            self.pool.idle.borrow_mut().push(Idle { client, sweeps: 0 });
            self.pool.open.set(self.pool.open.get() + 1);
        }
    }
}

impl<S: Socket> Drop for Lease<S> {
    fn drop(&mut self) {
        self.pool.open.set(self.pool.open.get() - 1);
        self.pool.call_next();
    }
}

#[cfg(test)]
mod tests;
