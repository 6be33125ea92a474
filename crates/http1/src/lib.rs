#![doc = include_str!("../README.md")]

pub mod body;
pub mod buffer_pool;
pub mod chunked;
pub mod client;
pub mod compose;
mod connection;
pub mod deadline;
pub mod framing;
pub mod head;
pub mod own_body;
pub mod pace;
pub mod parse;
pub mod pool;
mod read_buffer;
pub mod relay;
pub mod server;
pub mod socket;
pub mod view;
pub mod whole;

pub use connection::Broken;
