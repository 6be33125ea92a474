//! Faults of both versions: SOAP 1.1, section 4.4; SOAP 1.2, part 1, section 5.4.

pub(crate) mod read;
