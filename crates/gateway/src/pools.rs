//! The connection pools of upstream targets.
//!
//! The feed's reader assigns each [`Origin`] a place; a worker has a pool at each place that it has
//! used. A place that no version refers to any more is assigned to another target, and the old
//! pools are closed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use tollgate_http1::buffer_pool::BufferPool;

use crate::wire::connection::UpstreamPool;
use crate::wire::trust::{NoTls, Trust, UpstreamTls};

/// Sweeps, one a second, after which an unused connection is closed: sooner than common back ends
/// close theirs.
const IDLE_SWEEPS: u32 = 50;

/// The key of a pool: connections to one address with the same identity checks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// How its certificate is checked, if TLS is used.
    pub(crate) trust: Option<Trust>,
}

/// The index of an origin's pool in each worker; unique while held.
#[derive(Debug)]
pub(crate) struct Place {
    index: usize,
    tls: Option<UpstreamTls>,
}

impl Place {
    /// The TLS configuration, if TLS is used.
    pub(crate) fn tls(&self) -> Option<&UpstreamTls> {
        self.tls.as_ref()
    }
}

/// The places, by origin.
#[derive(Debug, Default)]
pub(crate) struct Places {
    by_origin: HashMap<Origin, (Weak<Place>, usize)>,
    free: Vec<usize>,
}

impl Places {
    /// Returns the place of an origin: the same one as long as it is held.
    ///
    /// # Errors
    /// [`NoTls`].
    pub(crate) fn find(&mut self, origin: Origin) -> Result<Arc<Place>, NoTls> {
        if let Some(place) = self.by_origin.get(&origin).and_then(|(it, _)| it.upgrade()) {
            return Ok(place);
        }
        let tls = origin.trust.as_ref().map(|trust| trust.with(&origin.host));
        let tls = tls.transpose()?;
        // A dropped place that has not been released yet keeps its index.
        let index = match self.by_origin.get(&origin) {
            Some(&(_, index)) => index,
            None => self.free.pop().unwrap_or(self.by_origin.len()),
        };
        let place = Arc::new(Place { index, tls });
        let weak = Arc::downgrade(&place);
        self.by_origin.insert(origin, (weak, index));
        Ok(place)
    }

    /// Releases the places that are no longer held.
    pub(crate) fn release(&mut self) {
        self.by_origin.retain(|_, (place, index)| {
            let is_held = place.strong_count() > 0;
            if !is_held {
                self.free.push(*index);
            }
            is_held
        });
    }
}

/// The pools of one worker, by place.
#[derive(Debug)]
pub(crate) struct Pools {
    buffers: Rc<BufferPool>,
    list: RefCell<Vec<Option<Taken>>>,
}

/// A place used by a worker.
#[derive(Debug)]
struct Taken {
    place: Weak<Place>,
    pool: Rc<UpstreamPool>,
}

impl Pools {
    /// Creates an empty set; upstream responses are read into these buffers.
    pub(crate) fn new(buffers: &Rc<BufferPool>) -> Self {
        Self {
            buffers: Rc::clone(buffers),
            list: RefCell::default(),
        }
    }

    /// Returns the pool at a place; a new one if there was none or it was another target's.
    pub(crate) fn find(&self, place: &Arc<Place>) -> Rc<UpstreamPool> {
        let mut list = self.list.borrow_mut();
        if list.len() <= place.index {
            list.resize_with(place.index + 1, || None);
        }
        let present = &mut list[place.index];
        match present {
            Some(taken) if Weak::as_ptr(&taken.place) == Arc::as_ptr(place) => {
                Rc::clone(&taken.pool)
            }
            _ => {
                let pool = Rc::new(UpstreamPool::new(&self.buffers));
                *present = Some(Taken {
                    place: Arc::downgrade(place),
                    pool: Rc::clone(&pool),
                });
                pool
            }
        }
    }

    /// Closes the pools of targets that are gone and, in the others, connections closed by the
    /// upstream or unused. An exchange that still uses a connection keeps it.
    pub(crate) fn sweep(&self) {
        for present in self.list.borrow_mut().iter_mut() {
            match present {
                Some(taken) if taken.place.strong_count() == 0 => *present = None,
                Some(taken) => taken.pool.sweep(IDLE_SWEEPS),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
