//! What the number of instructions depends on, apart from the source.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Versions of compiler, callgrind and C library, and a property of the processor.
#[derive(Debug)]
pub(super) struct Toolchain {
    pub(super) rustc: String,
    pub(super) valgrind: String,
    pub(super) libc: String,
    /// `memchr` and the C library's `memcpy` choose their code by it.
    pub(super) has_avx2: bool,
}

impl Toolchain {
    pub(super) fn find() -> Result<Self> {
        let processor = std::fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo")?;
        Ok(Self {
            rustc: first_line("rustc", "--version")?,
            valgrind: first_line("valgrind", "--version").context("make deps installs valgrind")?,
            libc: first_line("ldd", "--version")?,
            has_avx2: processor.split_whitespace().any(|flag| flag == "avx2"),
        })
    }
}

fn first_line(program: &str, argument: &str) -> Result<String> {
    let output = Command::new(program).arg(argument).output();
    let output = output.with_context(|| format!("{program} did not start"))?;
    ensure!(output.status.success(), "{program} {argument} failed");
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().next();
    Ok(line
        .with_context(|| format!("{program} printed nothing"))?
        .to_owned())
}
