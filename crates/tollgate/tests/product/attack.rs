//! What attack and fault injection found, one file for each finding, so that the next attacker
//! starts where the last one ended.

mod cookie;
mod empty_line;
mod log;
mod refused_version;
mod start;
mod upstream_address;
