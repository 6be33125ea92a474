//! Findings of attacks and fault injection: one file for each number of the list, as a starting
//! point for the next attacker.

mod cookie;
mod crowd;
mod damage;
mod failed_programs;
mod log;
mod off_boarding;
pub(crate) mod old_data;
mod ownership;
mod paths;
mod refused_version;
mod restart_limits;
mod sign_in;
mod small;
mod stale;
mod starve;
mod transfers;
mod upstream_address;
