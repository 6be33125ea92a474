//! Tests of the generator and the back end as processes of `tollgate-lab`, over real sockets.

#[path = "generator/bounds.rs"]
mod bounds;
#[path = "generator/content.rs"]
mod content;
#[path = "generator/faults.rs"]
mod faults;
#[path = "generator/pace.rs"]
mod pace;
#[path = "generator/process.rs"]
mod process;
#[path = "generator/server.rs"]
mod server;
#[path = "generator/tls.rs"]
mod tls;
#[path = "generator/yardstick.rs"]
mod yardstick;
