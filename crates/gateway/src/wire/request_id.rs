//! Request ids, made by workers and sent with every response.

use tollgate_model::record;

/// The id of one request: 32 hexadecimal digits, unique across workers and restarts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestId {
    digits: [u8; 32],
    number: u64,
}

impl RequestId {
    /// The id of the `number`th request of a worker.
    pub(crate) fn new(worker: u64, number: u64) -> Self {
        let mut digits = [0; 32];
        let id = record::request_id(worker, number);
        for (pair, byte) in digits.chunks_exact_mut(2).zip(id.to_be_bytes()) {
            pair.copy_from_slice(&PAIRS[usize::from(byte)]);
        }
        Self { digits, number }
    }

    /// Its number in its worker.
    pub(crate) fn number(&self) -> u64 {
        self.number
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
