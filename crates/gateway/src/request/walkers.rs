//! Walkers: the futures that serve requests, kept and used again, last in first out.
//!
//! Between its awaits a request needs about 4 KiB. As a part of its connection's task this memory
//! would have left the processor's caches whenever the connection was idle for a while: with many
//! connections, each request would begin with 50 lines from main memory. A connection therefore
//! borrows a walker for the time of a request.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use crate::exchange::Next;
use crate::wire::connection::CallerConnection;
use crate::wire::peer::Peer;
use crate::worker::Worker;

/// Free walkers that a listener keeps. As many are in use as there are requests at the same time.
const FREE_MAX: usize = 1024;

/// A caller's connection with what its requests need.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) connection: CallerConnection,
    pub(crate) peer: Peer,
    pub(crate) worker: Rc<Worker>,
}

/// The free walkers of one listener.
#[derive(Debug, Default)]
pub(crate) struct Walkers(RefCell<Vec<Walker>>);

struct Walker {
    desk: Rc<Desk>,
    walk: Pin<Box<dyn Future<Output = Infallible>>>,
}

/// Where a walker finds its next request, and leaves what came of it.
#[derive(Default)]
struct Desk {
    request: Cell<Option<(Box<Visit>, u32)>>,
    served: Cell<Option<(Box<Visit>, Next)>>,
}

impl Walkers {
    /// Serves the request at hand, the `served`th of its connection; returns the fate of the
    /// connection. Dropping the future drops the connection.
    pub(crate) async fn serve(&self, visit: Box<Visit>, served: u32) -> (Box<Visit>, Next) {
        let free = self.0.borrow_mut().pop();
        let mut walker = free.unwrap_or_else(Walker::new);
        walker.desk.request.set(Some((visit, served)));
        let end = poll_fn(|context| {
            let Poll::Pending = walker.walk.as_mut().poll(context);
            walker.desk.served.take().map_or(Poll::Pending, Poll::Ready)
        });
        let end = end.await;
        let mut free = self.0.borrow_mut();
        if free.len() < FREE_MAX {
            free.push(walker);
        }
        end
    }
}

impl Walker {
    fn new() -> Self {
        let desk = Rc::default();
        Self {
            walk: Box::pin(walk(Rc::clone(&desk))),
            desk,
        }
    }
}

impl fmt::Debug for Walker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walker").finish_non_exhaustive()
    }
}

/// Serves each request that is put on the desk.
async fn walk(desk: Rc<Desk>) -> Infallible {
    loop {
        let given = poll_fn(|_| desk.request.take().map_or(Poll::Pending, Poll::Ready));
        let (mut visit, served) = given.await;
        let Visit {
            connection,
            peer,
            worker,
        } = &mut *visit;
        let next = super::serve(connection, worker, peer, served).await;
        desk.served.set(Some((visit, next)));
    }
}
