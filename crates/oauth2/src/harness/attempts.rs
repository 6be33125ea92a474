//! A minimal count of failed clients.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use axum::http::Extensions;

use crate::attempts::Attempts;

/// Failures of a client until it has to wait.
pub(crate) const FAILURES_MAX: u32 = 1_000;
/// Seconds that it has to wait then.
pub(crate) const WAIT_S: i64 = 7;

#[derive(Default)]
pub(crate) struct FakeAttempts(Mutex<HashMap<String, u32>>);

impl FakeAttempts {
    /// Returns how often a client has failed since it last succeeded.
    pub(crate) fn failures(&self, client: &str) -> u32 {
        self.counts().get(client).copied().unwrap_or_default()
    }

    /// Lets a client fail until it has to wait.
    pub(crate) fn close(&self, client: &str) {
        self.counts().insert(client.to_owned(), FAILURES_MAX);
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, u32>> {
        self.0.lock().unwrap()
    }
}

impl Attempts for FakeAttempts {
    fn wait_s(&self, client: &str, _: &Extensions) -> Option<i64> {
        (self.failures(client) >= FAILURES_MAX).then_some(WAIT_S)
    }

    fn failed(&self, client: &str, _: &Extensions) {
        *self.counts().entry(client.to_owned()).or_default() += 1;
    }

    fn succeeded(&self, client: &str, _: &Extensions) {
        self.counts().remove(client);
    }
}
