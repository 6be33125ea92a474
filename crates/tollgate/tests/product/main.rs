//! The product from outside, over real sockets: each test starts the real binary with its own data.
//! All tests are one program, so that it is linked once.

#![expect(
    clippy::unwrap_used,
    reason = "a test panics without its prerequisites"
)]

mod access_log;
mod alone;
mod attack;
mod byte_counts;
mod cache;
mod call;
mod cors;
mod credentials;
mod disk;
mod example;
mod figures;
mod guide;
mod hostile;
mod house;
mod import;
mod import_by_url;
mod lab;
mod limits;
mod live;
mod mediate;
mod not_done;
mod peers;
mod policies;
mod portal;
mod purges;
mod quotas;
mod readme;
mod restore;
mod rests;
mod revisions;
mod rooms;
mod security;
mod served_documents;
mod services;
mod soap;
mod spool;
mod start;
mod states;
mod subscriptions;
mod tls;
mod trouble;
mod usage;
mod usage_health;
mod watch;
