//! Which pool of connections an upstream's target has.
//!
//! The feed's reader gives each [`Origin`] a place, a worker has a pool at each place that it
//! has used. A place that no version names any more is given to another target; the pools that
//! were there are closed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use tollgate_http1::buffer_pool::BufferPool;

use crate::wire::connection::UpstreamPool;
use crate::wire::trust::{NoTls, Trust, UpstreamTls};

/// Sweeps, one a second, after which an unused connection is closed: before common back ends close
/// theirs.
const IDLE_SWEEPS: u32 = 50;

/// What has a pool of its own: connections to one address that prove the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// How its certificate is checked, where TLS is spoken.
    pub(crate) trust: Option<Trust>,
}

/// Where each worker has its pool for an origin: nobody else's as long as somebody holds it.
#[derive(Debug)]
pub(crate) struct Place {
    index: usize,
    tls: Option<UpstreamTls>,
}

impl Place {
    /// How TLS is spoken there, where it is.
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
    /// The place of an origin: the same one as long as somebody holds it.
    ///
    /// # Errors
    /// [`NoTls`].
    pub(crate) fn find(&mut self, origin: Origin) -> Result<Arc<Place>, NoTls> {
        if let Some(place) = self.by_origin.get(&origin).and_then(|(it, _)| it.upgrade()) {
            return Ok(place);
        }
        let tls = origin.trust.as_ref().map(|trust| trust.with(&origin.host));
        let tls = tls.transpose()?;
        // A dead one that has not been released yet keeps its index.
        let index = match self.by_origin.get(&origin) {
            Some(&(_, index)) => index,
            None => self.free.pop().unwrap_or(self.by_origin.len()),
        };
        let place = Arc::new(Place { index, tls });
        let weak = Arc::downgrade(&place);
        self.by_origin.insert(origin, (weak, index));
        Ok(place)
    }

    /// Releases the places that nobody holds any more.
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

/// The pools of one worker, by their places.
#[derive(Debug)]
pub(crate) struct Pools {
    buffers: Rc<BufferPool>,
    list: RefCell<Vec<Option<Taken>>>,
}

/// A place that a worker has used.
#[derive(Debug)]
struct Taken {
    place: Weak<Place>,
    pool: Rc<UpstreamPool>,
}

impl Pools {
    /// None yet; what comes of upstreams is read into these buffers.
    pub(crate) fn new(buffers: &Rc<BufferPool>) -> Self {
        Self {
            buffers: Rc::clone(buffers),
            list: RefCell::default(),
        }
    }

    /// The pool at a place; a new one, where there was none or that of another target.
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

    /// Closes the pools whose targets nobody names any more, and of the others the connections
    /// that upstreams have closed or nobody used. Exchanges that still use a connection keep it.
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
