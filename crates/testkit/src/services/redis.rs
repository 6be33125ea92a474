//! A Redis server that tests share.

use std::ffi::OsString;
use std::path::Path;

use super::{Prepared, Recipe, free_port, shared};
use crate::missing;

const PROGRAM: &str = "redis-server";

/// Returns the address of the Redis server of this run, `127.0.0.1:port`; `None`, with a line on
/// the reason, if Redis is missing. All tests share its keys.
///
/// # Errors
/// Fails if it does not start, or is missing although `TOLLGATE_REQUIRE_SERVICES` is 1.
pub fn find() -> anyhow::Result<Option<String>> {
    if !missing::is_command(PROGRAM) {
        missing::report("tests with Redis", PROGRAM)?;
        return Ok(None);
    }
    let recipe = Recipe {
        name: "redis",
        ready: "Ready to accept connections",
        prepare: &prepare,
    };
    shared(&recipe).map(Some)
}

fn prepare(folder: &Path) -> anyhow::Result<Prepared> {
    let port = free_port()?;
    let words = [PROGRAM, "--bind", "127.0.0.1", "--save", "", "--dir"];
    let mut command: Vec<OsString> = words.map(Into::into).into();
    command.push(folder.into());
    command.extend(["--port".into(), port.to_string().into()]);
    Ok(Prepared {
        command,
        address: Some(format!("127.0.0.1:{port}")),
    })
}
