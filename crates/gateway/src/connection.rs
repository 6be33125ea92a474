//! The two sides of an exchange by the streams inside. Here, in `listener` and in
//! `upstream/connect.rs` a stream has a name; everywhere else it is the caller's side or the
//! upstream's.

use tokio::net::TcpStream;
use tollgate_http1::{client, pool, server};

/// The caller's side: requests in, answers out.
pub(crate) type CallerConnection = server::Server<TcpStream>;

/// The upstream's side: requests out, answers in.
pub(crate) type UpstreamConnection = client::Client<TcpStream>;

/// The connections of one worker to one upstream.
pub(crate) type UpstreamPool = pool::Pool<TcpStream>;

/// An upstream's connection while an exchange uses it.
pub(crate) type UpstreamLease = pool::Lease<TcpStream>;
