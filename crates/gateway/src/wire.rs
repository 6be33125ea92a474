//! The two connections of a call: streams, peers, and the message fields that are not forwarded.

pub(crate) mod connection;
pub(crate) mod field_class;
pub(crate) mod peer;
pub(crate) mod portal;
pub(crate) mod request_id;
pub(crate) mod session_cookie;
pub(crate) mod soap_head;
pub(crate) mod stream;
pub(crate) mod trust;
