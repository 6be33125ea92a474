//! Calls that may change their target: what is stored of it ends (RFC 9111, section 4.4).

use std::sync::Arc;

use crate::admit::Admitted;
use crate::exchange::Exchange;
use crate::reply::Reply;
use crate::stored::Caches;

/// Maximum number of slashes in a `Location` at which the path below the version may begin.
const BEGINS_MAX: usize = 16;

/// A call that may change its target.
#[derive(Debug)]
pub(crate) struct Change {
    caches: Arc<Caches>,
    version: u64,
    target: Vec<u8>,
    /// The URLs that its response names.
    named: Vec<Box<[u8]>>,
}

impl Change {
    /// An admitted call that may change its target.
    pub(super) fn of(admitted: &Admitted<'_>, exchange: &Exchange<'_>) -> Self {
        let allowed = admitted.allowed();
        Self {
            caches: Arc::clone(&exchange.worker().caches),
            version: allowed.routed().version().served.id.raw().cast_unsigned(),
            target: allowed.below(exchange.head()).into_owned(),
            named: Vec::new(),
        }
    }

    /// Notes the URLs that the upstream's response names: they have changed too.
    pub(super) fn note(&mut self, reply: &Reply<'_>) {
        let names = [b"location".as_slice(), b"content-location"];
        let urls = names.into_iter().filter_map(|name| reply.field(name));
        let urls = urls.filter_map(|url| url.split(|&byte| byte == b'#').next());
        self.named = urls.map(Box::from).collect();
    }

    /// Ends what is stored of the target and of the named URLs. Those may have an authority and a
    /// base path, of the upstream or of the gateway, in front of the path below the version: each
    /// slash may be where it begins. To end one response too many costs one call.
    pub(super) fn end(&self) {
        let store = &self.caches.store;
        store.change(self.version, &self.target);
        for url in &self.named {
            for begin in memchr::memchr_iter(b'/', url).take(BEGINS_MAX) {
                store.change(self.version, &url[begin..]);
            }
        }
    }
}
