//! Tests that need the machine for themselves: they load it until it is busy, or compare moments
//! that a neighbour would spread. `make test` runs them at the end, one after the other.
//!
//! The folder is the mark: what lives here is found by the prefix `alone::` of its name, in
//! `.config/nextest.toml` and in `.ci/test`. A test of an attack or of security keeps that name as
//! its next part, because what has failed there once is never tried again.

mod attack {
    mod bodies;
    mod start;
    mod tls;
}
mod change;
mod crash;
mod security {
    mod revoke;
}
mod usage;
