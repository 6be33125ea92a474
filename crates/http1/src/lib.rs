//! The HTTP/1.1 engine of the data plane
