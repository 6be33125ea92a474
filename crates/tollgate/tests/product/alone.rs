//! Tests that need the machine for themselves: they load it fully, or compare times that other
//! tests would blur. `make test` runs them last, two at a time, so that each has a core.
//!
//! The folder selects them: `.config/nextest.toml` and `.ci/test` match the prefix `alone::`. A
//! test of an attack or of security keeps `attack` or `security` as the next part of its name,
//! because such a test is never retried after a failure.

mod attack {
    mod bodies;
    mod imports;
    mod start;
    mod tls;
}
mod change;
mod crash;
mod security {
    mod revoke;
}
mod transfers;
mod usage;
