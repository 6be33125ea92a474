//! Third-party software that this machine lacks: its tests are skipped with a line on the reason,
//! or fail where all of it is required.

use anyhow::ensure;

/// Reports that something is missing.
///
/// # Errors
/// Fails if `TOLLGATE_REQUIRE_SERVICES` is 1.
#[expect(clippy::print_stderr, reason = "skipped tests are reported")]
pub(crate) fn report(skipped: &str, names: &str) -> anyhow::Result<()> {
    let missing = format!("missing: {names} (make deps installs it)");
    let is_required = std::env::var("TOLLGATE_REQUIRE_SERVICES").is_ok_and(|value| value == "1");
    ensure!(!is_required, "{missing}");
    eprintln!("skipped: {skipped}; {missing}");
    Ok(())
}

/// Whether a command exists in the `PATH`.
pub(crate) fn is_command(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
