//! Passwords of users: Argon2id (RFC 9106) with m = 19 MiB, t = 2, p = 1, the second choice of
//! OWASP's password storage cheat sheet, stored as a PHC string. Both functions take tens of
//! milliseconds and 19 MiB: run them on a bounded blocking pool.

use std::cell::RefCell;
use std::sync::LazyLock;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;
use tollgate_model::fault::Fault;
use tollgate_model::name::folded;

use crate::base62;

const MEMORY_KIB: u32 = 19 * 1_024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Maximum parameters of a stored hash, so that a damaged one cannot exhaust the machine.
const MEMORY_KIB_MAX: u32 = 64 * 1_024;
const PASSES_MAX: u32 = 16;
const LANES_MAX: u32 = 4;
/// Minimum number of characters of a password (NIST SP 800-63B requires 8, without other factors
/// 15).
const CHARACTERS_MIN: usize = 12;
/// Maximum number of characters of a password.
const CHARACTERS_MAX: usize = 256;
/// Minimum number of characters of a name that a password is searched for.
const NAME_CHARACTERS_MIN: usize = 3;
/// The 10,000 most common passwords of 12 characters and more, in lower case, one per line, sorted
/// by bytes. `password/README.md` names their source.
const COMMON: &str = include_str!("password/common.txt");

thread_local! {
    /// The memory of this thread's hashes. Kept, because an allocator that repeatedly gets 19 MiB
    /// back retains several times as much.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Hashes a password; returns the PHC string to store.
#[must_use]
pub fn hash(password: &str, salt: [u8; 16]) -> String {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("constants in range");
    let kept = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).expect("three numbers"),
        salt: Some(Salt::new(&salt).expect("a salt has 8 to 64 bytes")),
        hash: None,
    };
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    compute(params, password, &salt, &mut output)
        .expect("a salt of 16 bytes and a password below 4 GiB always hash");
    let hash = Some(Output::new(&output).expect("an output has 10 to 64 bytes"));
    PasswordHash { hash, ..kept }.to_string()
}

/// Fills `output` with the Argon2id hash of a password.
fn compute(params: Params, password: &str, salt: &[u8], output: &mut [u8]) -> Option<()> {
    let blocks = params.block_count();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    MEMORY.with_borrow_mut(|memory| {
        memory.resize(blocks, Block::default());
        argon2
            .hash_password_into_with_memory(password.as_bytes(), salt, output, memory)
            .ok()
    })
}

/// Returns whether the password matches the PHC string. A string that is malformed, or has larger
/// parameters than Tollgate ever writes, matches no password.
#[must_use]
pub fn verify(password: &str, phc: &str) -> bool {
    fits(password, phc).unwrap_or(false)
}

fn fits(password: &str, phc: &str) -> Option<bool> {
    let kept = PasswordHash::new(phc).ok()?;
    let (salt, expected) = (kept.salt?, kept.hash?);
    let algorithm = Algorithm::try_from(kept.algorithm.as_str()).ok()?;
    let version = Version::try_from(kept.version?).ok()?;
    let params = Params::try_from(&kept).ok()?;
    let is_bounded = params.m_cost() <= MEMORY_KIB_MAX
        && params.t_cost() <= PASSES_MAX
        && params.p_cost() <= LANES_MAX;
    if algorithm != Algorithm::Argon2id || version != Version::V0x13 || !is_bounded {
        return None;
    }
    let mut computed = [0; Output::MAX_LENGTH];
    let computed = computed.get_mut(..expected.len())?;
    compute(params, password, &salt, computed)?;
    Some(computed.ct_eq(expected.as_bytes()).into())
}

/// Creates a one-time password from 128 random bits: 22 letters and digits.
#[must_use]
pub fn one_time(random: [u8; 16]) -> String {
    let mut text = String::with_capacity(base62::DIGITS_128);
    base62::push(&mut text, random, base62::DIGITS_128);
    text
}

/// Returns the fault of a password chosen by the user `name`, if any: its length, that it is a
/// common one, or that it is little more than the name (NIST SP 800-63B, section 5.1.1.2).
#[must_use]
pub fn fault(password: &str, name: &str) -> Option<Fault> {
    let characters = password.chars().count();
    if !(CHARACTERS_MIN..=CHARACTERS_MAX).contains(&characters) {
        let detail =
            format!("a password must have {CHARACTERS_MIN} to {CHARACTERS_MAX} characters");
        return Some(Fault::new("/password", "password.length", detail));
    }
    if is_common(password) {
        let detail = "this is one of the most common passwords; choose another";
        return Some(Fault::new("/password", "password.common", detail));
    }
    leans_on(password, name).then(|| {
        let detail = "without your name in it this password would be too short or too common; \
            choose another";
        Fault::new("/password", "password.name", detail)
    })
}

/// Returns whether a password is on the list, ignoring case and surrounding spaces.
fn is_common(password: &str) -> bool {
    static SORTED: LazyLock<Vec<&str>> = LazyLock::new(|| COMMON.lines().collect());
    SORTED.binary_search(&folded(password).trim()).is_ok()
}

/// Returns whether the rest of a password without its user's name would be too short or common, by
/// letters and digits: other characters are guessed first. Names of one or two characters are
/// ignored: almost every password contains them.
fn leans_on(password: &str, name: &str) -> bool {
    let plain = |text: &str| -> String {
        let characters = folded(text);
        let plain = characters.chars().filter(|it| it.is_alphanumeric());
        plain.collect()
    };
    let (password, name) = (plain(password), plain(name));
    if name.chars().count() < NAME_CHARACTERS_MIN || !password.contains(&name) {
        return false;
    }
    let rest = password.replace(&name, "");
    rest.chars().count() < CHARACTERS_MIN || is_common(&rest)
}

#[cfg(test)]
mod tests;
