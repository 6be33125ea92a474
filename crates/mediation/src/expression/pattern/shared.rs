//! The patterns of one version. Each is compiled once, however often it occurs: the steps of a
//! version are part of the program of each operation with steps of its own.

use std::cell::RefCell;
use std::collections::HashMap;

use super::Engine;

thread_local! {
    /// The patterns of the version that this thread makes or reads; `None` if it does neither.
    static SHARED: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

struct Shared {
    /// By the texts of the patterns.
    engines: HashMap<Box<str>, Engine>,
    bytes: usize,
    bytes_max: usize,
}

/// Makes or reads the steps of a version, and compiles each of its patterns once. Beyond
/// `bytes_max`, patterns are rejected.
pub(crate) fn compile_each_once<T>(bytes_max: usize, make: impl FnOnce() -> T) -> T {
    let shared = Shared {
        engines: HashMap::new(),
        bytes: 0,
        bytes_max,
    };
    let _sharing = Sharing(SHARED.replace(Some(shared)));
    make()
}

/// Puts back the patterns of the version around this one, if any, also after a panic.
struct Sharing(Option<Shared>);

impl Drop for Sharing {
    fn drop(&mut self) {
        SHARED.set(self.0.take());
    }
}

/// Returns a compiled pattern of the present version.
///
/// # Errors
/// Fails with a sentence if the pattern is malformed or too large, or if all patterns of the
/// version are.
pub(super) fn engine(text: &str) -> Result<Engine, String> {
    SHARED.with_borrow_mut(|shared| match shared {
        Some(shared) => shared.engine(text),
        None => Engine::new(text),
    })
}

impl Shared {
    fn engine(&mut self, text: &str) -> Result<Engine, String> {
        if let Some(engine) = self.engines.get(text) {
            return Ok(engine.clone());
        }
        let too_large = || {
            let mib = self.bytes_max >> 20;
            format!("the regular expressions of the version take more than {mib} MiB together")
        };
        if self.bytes > self.bytes_max {
            return Err(too_large());
        }
        let engine = Engine::new(text)?;
        self.bytes += engine.bytes();
        if self.bytes > self.bytes_max {
            return Err(too_large());
        }
        self.engines.insert(text.into(), engine.clone());
        Ok(engine)
    }
}
