//! A Redis or Valkey server that tests share.

use std::ffi::OsString;
use std::path::Path;

use super::{Prepared, Recipe, Service, free_port};
use crate::missing;

/// The programs that speak its protocol.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// Returns the address of the Redis or Valkey server of this run, `127.0.0.1:port`; `None`, with a
/// line on the reason, if both are missing. All tests share its keys.
///
/// # Errors
/// Fails if it does not start, or is missing although `TOLLGATE_REQUIRE_SERVICES` is 1.
pub fn find() -> anyhow::Result<Option<String>> {
    let Some(program) = PROGRAMS.into_iter().find(|it| missing::is_command(it)) else {
        missing::report("tests with Redis", PROGRAMS[0])?;
        return Ok(None);
    };
    let recipe = Recipe {
        name: "redis",
        ready: "Ready to accept connections",
        prepare: &|folder| prepare(program, folder),
    };
    Ok(Some(Service::shared(&recipe)?.address))
}

fn prepare(program: &str, folder: &Path) -> anyhow::Result<Prepared> {
    let port = free_port()?;
    let words = [program, "--bind", "127.0.0.1", "--save", "", "--dir"];
    let mut command: Vec<OsString> = words.map(Into::into).into();
    command.push(folder.into());
    command.extend(["--port".into(), port.to_string().into()]);
    Ok(Prepared {
        command,
        address: Some(format!("127.0.0.1:{port}")),
    })
}
