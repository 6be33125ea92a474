//! Request ids, made by workers and sent with every response.

/// The id of one request: 32 hexadecimal digits, unique across workers and restarts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestId {
    digits: [u8; 32],
    value: u128,
}

impl RequestId {
    pub(crate) fn new(value: u128) -> Self {
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(value.to_be_bytes()) {
            pair.copy_from_slice(&PAIRS[usize::from(byte)]);
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

/// The two hexadecimal digits of each byte.
static PAIRS: [[u8; 2]; 256] = {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [HEX[byte >> 4], HEX[byte & 15]];
        byte += 1;
    }
    pairs
};
