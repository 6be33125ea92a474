//! Random bytes from the system, for secrets, salts and ids: the one place that asks for them.

/// The machine gives no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the machine gives no random bytes")]
pub struct NoRandom(#[from] getrandom::Error);

/// Random bytes.
///
/// # Errors
/// [`NoRandom`].
pub fn bytes<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
