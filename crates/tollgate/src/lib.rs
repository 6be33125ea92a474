#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests write what they need")
)]

pub mod access_log;
pub mod all;
pub mod certificates;
pub mod command;
pub mod data;
pub mod example;
pub mod logging;
pub mod mediate;
pub mod metrics;
pub mod process;
pub mod recorder;
pub mod refusals;
pub mod reset;
pub mod role;
pub mod settings;
pub mod spool;
