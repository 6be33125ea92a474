//! Threads for work that may take its time, a few for each kind. The allocator keeps freed memory
//! for each thread: in the pool of the runtime, which has many and takes any, the largest work
//! would keep its memory several times over.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::turns::{CUBE_USERS_MAX, SCAN_USERS_MAX};

/// Threads for a kind of work.
pub(crate) struct Threads(LazyLock<Runtime>);

/// The one that prepares figures to be written.
pub(crate) static COUNTING: Threads = Threads(LazyLock::new(|| pool("usage-count", 1)));
/// Those that add up cubes: of users, and of the control plane.
pub(crate) static ANSWERS: Threads =
    Threads(LazyLock::new(|| pool("usage-answer", CUBE_USERS_MAX + 1)));
/// Those that read single calls: of users, of the control plane, and one for calls looked up by
/// their ids.
pub(crate) static SCANS: Threads =
    Threads(LazyLock::new(|| pool("usage-scan", SCAN_USERS_MAX + 2)));

impl Threads {
    /// Works on one of these threads, as soon as one is free.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        self.0.spawn_blocking(work)
    }
}

fn pool(name: &'static str, threads: usize) -> Runtime {
    let mut pool = Builder::new_current_thread();
    pool.thread_name(name).max_blocking_threads(threads);
    pool.build()
        .expect("a runtime without drivers opens nothing")
}
