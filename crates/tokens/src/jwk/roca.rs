//! The mark of RSA keys made by a library of Infineon (CVE-2017-15361, "ROCA"), whose factors can
//! be computed from the public half: Nemec, Sys, Svenda, Klinec, Matyas, "The Return of
//! Coppersmith's Attack", CCS 2017, section 2.3. A primorial of at least these primes divides the
//! modulus minus a power of 65537.

/// The odd primes of the smallest primorial in use, that of keys of 512 bits.
const PRIMES: [u32; 38] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];
const GENERATOR: u32 = 65_537;

/// Whether a modulus (big-endian) is a power of the generator modulo each prime. Of sound keys one
/// in 2^27 is.
pub(super) fn is_marked(modulus: &[u8]) -> bool {
    PRIMES.iter().all(|&prime| {
        let rest = modulus
            .iter()
            .fold(0, |rest, &byte| (rest * 256 + u32::from(byte)) % prime);
        is_power(rest, prime)
    })
}

fn is_power(rest: u32, prime: u32) -> bool {
    let next = |power: &u32| Some(power * GENERATOR % prime);
    let powers = std::iter::successors(Some(1), next);
    powers.take(prime as usize).any(|power| power == rest)
}
