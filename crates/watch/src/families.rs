//! Every metric family, declared once: name, kind, labels, meaning.
//!
//! Names follow the conventions of Prometheus: base units, `_total` for counters. Labels never name
//! an application, a user, a path or an address, so that the number of series is bounded.

/// The kind of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number that only rises, from 0 at the start of the process.
    Counter,
    /// A number that rises and falls.
    Gauge,
    /// Counts of observations up to certain bounds.
    Histogram,
    /// Always 1; the labels are the information.
    Info,
}

impl Kind {
    /// Returns its word in the reference page.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
            Self::Info => "info",
        }
    }
}

/// The declaration of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Its name, as in the format of Prometheus.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What it measures, in one sentence.
    pub help: &'static str,
}

impl Family {
    /// Returns the unit that its name ends with, before `_total`; `None` for plain numbers.
    #[must_use]
    pub fn unit(&self) -> Option<&'static str> {
        let name = self.name.strip_suffix("_total").unwrap_or(self.name);
        ["seconds", "bytes"]
            .into_iter()
            .find(|unit| name.ends_with(unit))
    }
}

macro_rules! families {
    ($($constant:ident = $name:literal, $kind:ident, [$($label:literal),*], $help:literal;)*) => {
        $(
            #[doc = $help]
            pub const $constant: Family = Family {
                name: $name,
                kind: Kind::$kind,
                labels: &[$($label),*],
                help: $help,
            };
        )*

        /// Every family.
        pub const FAMILIES: &[&Family] = &[$(&$constant),*];
    };
}

families! {
    REQUESTS = "tollgate_requests_total", Counter, ["api", "version", "class"],
        "Requests that reached routing, by the class of their status; `left` if the client \
         disconnected before one was sent.";
    FORGOTTEN_REQUESTS = "tollgate_forgotten_requests_total", Counter, [],
        "Requests of series that have left `tollgate_requests_total`.";
    REFUSALS = "tollgate_refusals_total", Counter, ["code"],
        "Requests that the gateway refused, or cut off, by the code of the refusal.";
    ANSWERS = "tollgate_answers_total", Counter, ["answered_by"],
        "Requests by where their response came from.";
    OVER_LIMIT = "tollgate_over_limit_total", Counter, ["api"],
        "Requests that exceeded a limit and were admitted nevertheless.";
    REQUEST_SECONDS = "tollgate_request_seconds", Histogram, ["api"],
        "Time from the arrival of a request's head to the last byte of its response.";
    UPSTREAM_SECONDS = "tollgate_upstream_seconds", Histogram, ["api"],
        "Time from sending a request to the upstream to the first byte of its response.";
    GATEWAY_SECONDS = "tollgate_gateway_seconds", Histogram, [],
        "Time from the arrival of a request's head until it was sent to the upstream.";
    POLICY_SECONDS = "tollgate_policy_seconds", Histogram, [],
        "Time that steps of policies took per request, from 1 µs to 65 ms.";
    RECEIVED_BYTES = "tollgate_received_bytes_total", Counter, ["api"],
        "Bytes of request bodies received from clients.";
    SENT_BYTES = "tollgate_sent_bytes_total", Counter, ["api"],
        "Bytes of response bodies sent to clients.";
    CACHE_REQUESTS = "tollgate_cache_requests_total", Counter, ["api", "use"],
        "Requests of operations with a cache, by what the cache did.";
    UNRECORDED = "tollgate_unrecorded_total", Counter, ["reason"],
        "Requests and connections that ended before routing, so that there is no record of them.";
    LOST_DETAILS = "tollgate_lost_details_total", Counter, ["reason"],
        "Requests that are in `tollgate_requests_total`, but in no other family, because they were \
         only counted.";
    DROPPED = "tollgate_dropped_total", Counter, ["what"],
        "Lines of the access log that were dropped, and those that were written without the texts \
         of their call.";
    CONNECTIONS = "tollgate_connections", Gauge, [],
        "Connections of clients.";
    CALLS = "tollgate_calls", Gauge, [],
        "Calls in progress.";
    LIMIT_COUNTERS = "tollgate_limit_counters", Gauge, [],
        "Counters of limits in memory.";
    CACHE_BYTES = "tollgate_cache_bytes", Gauge, [],
        "Bytes of stored responses.";
    BUFFERED_BYTES = "tollgate_buffered_bytes", Gauge, [],
        "Bytes reserved for bodies that are held whole.";
    SNAPSHOT_SEQUENCE = "tollgate_snapshot_sequence", Gauge, [],
        "Number of the last change of the configuration that the gateway has applied.";
    FEED_SEQUENCE = "tollgate_feed_sequence", Gauge, [],
        "Number of the last stored change of the configuration.";
    SNAPSHOT_APPLIED = "tollgate_snapshot_applied_timestamp_seconds", Gauge, [],
        "When the gateway last applied a change of the configuration.";
    VERSIONS_REFUSED = "tollgate_versions_refused", Gauge, [],
        "Versions that the gateway cannot serve as stored.";
    SPOOL_BYTES = "tollgate_spool_bytes", Gauge, [],
        "Bytes of the spool, which has each recorded call.";
    SPOOL_OLDEST = "tollgate_spool_oldest_seconds", Gauge, [],
        "Age of the oldest segment of the spool.";
    CONTROL_REQUESTS = "tollgate_control_requests_total", Counter, ["operation", "class"],
        "Requests to the control plane and the key manager, by operation of their OpenAPI \
         documents, or `page` for the portal and everything else, and by class of status.";
    CONTROL_REQUEST_SECONDS = "tollgate_control_request_seconds", Histogram, [],
        "Time that requests to the control plane and the key manager took, until the response \
         began.";
    TOKENS_ISSUED = "tollgate_tokens_issued_total", Counter, ["grant"],
        "Access tokens issued at the token endpoint.";
    SIGN_IN_FAILURES = "tollgate_sign_in_failures_total", Counter, ["kind"],
        "Failed attempts to authenticate at the control plane and the key manager, and those \
         rejected because too many had failed.";
    STORE_BYTES = "tollgate_store_bytes", Gauge, ["database"],
        "Bytes of a database, without its log.";
    STORE_WRITABLE = "tollgate_store_writable", Gauge, ["database"],
        "Whether writes succeed: 1 or 0.";
    USAGE_UNWRITTEN_ROWS = "tollgate_usage_unwritten_rows", Gauge, ["database"],
        "Rows of usage in memory that are not written yet.";
    CERTIFICATE_EXPIRY = "tollgate_certificate_expiry_timestamp_seconds", Gauge,
        ["plane", "name"],
        "When a certificate expires.";
    BUILD_INFO = "tollgate_build_info", Info, ["release"],
        "The running release.";
    PROCESS_CPU = "process_cpu_seconds_total", Counter, [],
        "User and system time of the process.";
    PROCESS_OPEN_FDS = "process_open_fds", Gauge, [],
        "Open file descriptors.";
    PROCESS_MAX_FDS = "process_max_fds", Gauge, [],
        "Maximum number of open file descriptors.";
    PROCESS_VIRTUAL_MEMORY = "process_virtual_memory_bytes", Gauge, [],
        "Virtual memory.";
    PROCESS_RESIDENT_MEMORY = "process_resident_memory_bytes", Gauge, [],
        "Resident memory.";
    PROCESS_START = "process_start_time_seconds", Gauge, [],
        "When the process started.";
}

#[cfg(test)]
mod tests;
