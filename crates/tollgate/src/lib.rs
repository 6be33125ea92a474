#![doc = include_str!("../README.md")]

pub mod command;
pub mod data;
pub mod logging;
pub mod process;
pub mod refusals;
pub mod settings;
