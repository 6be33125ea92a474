//! RSA public keys as `RSAPublicKey` in DER (RFC 8017, appendix A.1.1): a sequence of two positive
//! integers, the modulus and the exponent.

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// Encodes a modulus and an exponent, both big-endian, as DER.
pub(super) fn encode(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    let mut integers = Vec::with_capacity(modulus.len() + exponent.len() + 10);
    push_integer(&mut integers, modulus);
    push_integer(&mut integers, exponent);
    let mut der = Vec::with_capacity(integers.len() + 4);
    push_head(&mut der, SEQUENCE, integers.len());
    der.extend(integers);
    der
}

fn push_integer(der: &mut Vec<u8>, number: &[u8]) {
    // A first byte of 0x80 and above would be read as a sign.
    let is_padded = number.first().is_none_or(|first| *first >= 0x80);
    push_head(der, INTEGER, number.len() + usize::from(is_padded));
    der.extend(is_padded.then_some(0));
    der.extend(number);
}

fn push_head(der: &mut Vec<u8>, tag: u8, length: usize) {
    let [.., high, low] = length.to_be_bytes();
    der.push(tag);
    match length {
        0..=0x7f => der.push(low),
        0x80..=0xff => der.extend([0x81, low]),
        _ => der.extend([0x82, high, low]),
    }
}

/// Returns the modulus and the exponent, big-endian without leading zeros; `None` for DER that
/// [`encode`] does not write.
pub(super) fn components(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (integers, rest) = element(der, SEQUENCE)?;
    let (modulus, after) = integer(integers)?;
    let (exponent, end) = integer(after)?;
    let is_whole = rest.is_empty() && end.is_empty() && encode(modulus, exponent) == der;
    is_whole.then_some((modulus, exponent))
}

fn integer(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (number, rest) = element(der, INTEGER)?;
    Some((number.strip_prefix(&[0]).unwrap_or(number), rest))
}

/// Returns the content of the first element, and the bytes after it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let der = der.strip_prefix(&[tag])?;
    let (length, rest) = match der {
        [0x82, high, low, rest @ ..] => (u16::from_be_bytes([*high, *low]).into(), rest),
        [0x81, low, rest @ ..] => (usize::from(*low), rest),
        [low @ 0..=0x7f, rest @ ..] => (usize::from(*low), rest),
        _ => return None,
    };
    rest.split_at_checked(length)
}
