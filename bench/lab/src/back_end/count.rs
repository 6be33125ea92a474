//! The totals of what was served: a response of the back end itself.

/// Totals since the start.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) requests: u64,
    received_bytes: u64,
    answered_bytes: u64,
}

impl Count {
    pub(crate) fn note(&mut self, received_bytes: u64, answered_bytes: u64) {
        self.requests += 1;
        self.received_bytes += received_bytes;
        self.answered_bytes += answered_bytes;
    }

    pub(crate) fn json(&self) -> String {
        format!(
            "{{\"requests\":{},\"received_bytes\":{},\"answered_bytes\":{}}}",
            self.requests, self.received_bytes, self.answered_bytes
        )
    }
}
