//! Random bytes from the system, for secrets, salts and ids.

use anyhow::Context as _;

/// Random bytes.
///
/// # Errors
/// The system has none.
pub fn bytes<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).context("the system gives no random bytes")?;
    Ok(bytes)
}
