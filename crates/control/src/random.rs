//! Random bytes from the system, for secrets, salts and ids: the only place that requests them.

/// The system returned no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the system returned no random bytes")]
pub struct NoRandom(#[from] getrandom::Error);

/// Returns random bytes.
///
/// # Errors
/// [`NoRandom`] if the system returns none.
pub fn bytes<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
