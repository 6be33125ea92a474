//! Request ids, made by workers and sent with every response.

/// The id of one request: 32 hexadecimal digits, unique across workers and restarts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestId {
    digits: [u8; 32],
    value: u128,
}

impl RequestId {
    pub(crate) fn new(value: u128) -> Self {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(value.to_be_bytes()) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        Self { digits, value }
    }

    pub(crate) fn value(&self) -> u128 {
        self.value
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.digits
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.digits).expect("ASCII digits")
    }
}
