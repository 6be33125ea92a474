//! Checks whether 32 bytes are a point of Ed25519 that can be a public key (RFC 8032, section
//! 5.1.3): AWS-LC finds out only when it verifies a signature. Nothing here is secret, so constant
//! time is not needed.

/// A number modulo 2^255 - 19, below 2^256, least limb first.
#[derive(Clone, Copy)]
struct Number([u64; 4]);

/// 2^255 - 19.
const PRIME: [u64; 4] = [u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1];
const MINUS_ONE: Number = Number([u64::MAX - 19, u64::MAX, u64::MAX, u64::MAX >> 1]);
const ONE: Number = Number([1, 0, 0, 0]);
/// The constant of the curve (RFC 8032, section 5.1).
const D: Number = Number([
    0x75eb_4dca_1359_78a3,
    0x0070_0a4d_4141_d8ab,
    0x8cc7_4079_7779_e898,
    0x5203_6cee_2b6f_fe73,
]);
/// 2^256 modulo the prime.
const FOLD: u128 = 38;

/// Returns whether the bytes are the canonical form of a point that is not one of the eight of
/// small order, for which anybody can forge signatures.
pub(super) fn is_sound(bytes: &[u8; 32]) -> bool {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    // The topmost bit is the sign of x.
    limbs[3] &= u64::MAX >> 1;
    let y = Number(limbs);
    if y.canonical() != limbs {
        return false;
    }
    let yy = y.times(y);
    let dyy = D.times(yy);
    // The point is on the curve if x^2 = (y^2 - 1) / (d y^2 + 1) has a root, which is the case if
    // the product of both has one.
    let product = yy.plus(MINUS_ONE).times(dyy.plus(ONE));
    product.has_root() && !is_of_small_order(yy, dyy)
}

/// Returns whether a point has one of the small orders. Twice a point of order 8 has y = 0, which
/// gives d y^4 + 2 y^2 = 1. The others have a y of 0, 1 or -1.
fn is_of_small_order(yy: Number, dyy: Number) -> bool {
    let order_8 = dyy.times(yy).plus(yy).plus(yy);
    let is = |number: Number, value: u64| number.canonical() == [value, 0, 0, 0];
    is(yy, 0) || is(yy, 1) || is(order_8, 1)
}

impl Number {
    fn plus(self, other: Self) -> Self {
        let mut sum = [0; 8];
        let mut carry = 0;
        for (place, sum) in sum.iter_mut().take(4).enumerate() {
            carry += u128::from(self.0[place]) + u128::from(other.0[place]);
            *sum = carry as u64;
            carry >>= 64;
        }
        sum[4] = carry as u64;
        Self::folded(sum)
    }

    fn times(self, other: Self) -> Self {
        let mut product = [0; 8];
        for (shift, factor) in self.0.into_iter().enumerate() {
            let mut carry = 0;
            for (place, other) in other.0.into_iter().enumerate() {
                carry += u128::from(factor) * u128::from(other);
                carry += u128::from(product[shift + place]);
                product[shift + place] = carry as u64;
                carry >>= 64;
            }
            product[shift + 4] = carry as u64;
        }
        Self::folded(product)
    }

    /// Reduces the number: the upper half counts 38 times the lower one.
    fn folded(wide: [u64; 8]) -> Self {
        let [a, b, c, d, upper @ ..] = wide;
        let mut limbs = [a, b, c, d];
        let mut upper = upper;
        while upper != [0; 4] {
            let mut carry = 0;
            for (limb, upper) in limbs.iter_mut().zip(upper) {
                carry += u128::from(*limb) + u128::from(upper) * FOLD;
                *limb = carry as u64;
                carry >>= 64;
            }
            upper = [carry as u64, 0, 0, 0];
        }
        Self(limbs)
    }

    /// Returns the same number below the prime.
    fn canonical(self) -> [u64; 4] {
        let mut limbs = self.0;
        while limbs.iter().rev().ge(PRIME.iter().rev()) {
            let mut is_borrowed = false;
            for (limb, prime) in limbs.iter_mut().zip(PRIME) {
                let (less, is_below) = limb.overflowing_sub(prime);
                let (less, is_at_zero) = less.overflowing_sub(u64::from(is_borrowed));
                (*limb, is_borrowed) = (less, is_below || is_at_zero);
            }
        }
        limbs
    }

    /// Applies Euler's criterion: the power by 2^254 - 10, half the order, is 1. In binary, that
    /// exponent is 254 ones except for the places 0 and 3.
    fn has_root(self) -> bool {
        let power = (0..254).rev().fold(ONE, |power, place| {
            let square = power.times(power);
            match place {
                0 | 3 => square,
                _ => square.times(self),
            }
        });
        matches!(power.canonical(), [0 | 1, 0, 0, 0])
    }
}

#[cfg(test)]
mod tests;
