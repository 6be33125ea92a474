#![doc = include_str!("../README.md")]

pub mod alarm;
pub mod blocks;
pub mod body;
pub mod chunked;
pub mod client;
pub mod compose;
pub mod framing;
pub mod head;
mod inbox;
pub mod own_body;
pub mod parse;
pub mod pool;
pub mod relay;
pub mod server;
pub mod socket;
pub mod whole;
mod wire;

pub use wire::Broken;
