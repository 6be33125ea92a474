//! The length of a body (RFC 9112, section 6.3), as `parse` derives it from a head's fields.

/// The protocol version of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    #[default]
    Http11,
}

/// How the end of a body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// There is no body.
    #[default]
    None,
    /// This many bytes.
    Length(u64),
    /// The chunked coding.
    Chunked,
    /// Everything until the connection ends; responses only.
    UntilClose,
}
