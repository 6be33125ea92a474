#![doc = include_str!("../README.md")]

mod access_logs;
pub mod control;
pub mod credentials;
pub mod disk;
pub mod events;
mod fields;
pub mod http;
pub mod load;
mod missing;
mod output;
pub mod peers;
pub mod process;
pub mod prometheus;
mod secrets;
pub mod services;
pub mod settled;
pub mod tills;
pub mod tls;
pub mod upstream;
pub mod wire;

pub use control::Control;
pub use disk::Disk;
pub use events::{Event, Events};
pub use http::{Answer, Connection};
pub use load::{Load, Tally};
pub use peers::{Judge, Peer, Peers};
pub use process::{Builder, Tollgate};
pub use upstream::{Behaviour, Upstream};
