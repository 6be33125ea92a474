//! What attack and fault injection found, one file for each finding, so that the next attacker
//! starts where the last one ended.

mod cookie;
mod damage;
mod empty_line;
mod help;
mod log;
mod off_boarding;
mod old_data;
mod ownership;
mod refused_version;
mod restart_limits;
mod sign_in;
mod small;
mod small_sign_in;
mod start;
mod starve;
mod upstream_address;
