//! Copies `portal/dist` into the compiler's output directory and writes the table that
//! `src/table.rs` includes: the next build of the portal may replace `dist` while this crate
//! compiles. Without a built portal the table is empty, so `cargo build` does not need Node.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let root = manifest.join("../..").canonicalize()?;
    let dist = root.join("portal/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let copy = out.join("dist");
    if copy.exists() {
        // From an earlier build.
        fs::remove_dir_all(&copy)?;
    }
    let mut names = Vec::new();
    if dist.is_dir() {
        copy_all(&dist, &copy, "", &mut names)?;
    }
    fs::write(out.join("table.rs"), table(names)?)?;
    Ok(())
}

/// Returns the table of these files; compressed forms belong to the file next to them.
fn table(mut names: Vec<String>) -> Result<String, Box<dyn Error>> {
    names.sort();
    let mut table = String::from("&[\n");
    for name in names.iter().filter(|name| !is_form(name)) {
        let form = |suffix| {
            let form = format!("{name}.{suffix}");
            names.contains(&form).then(|| include(&form))
        };
        let content = match (form("gz"), form("br")) {
            (None, _) => format!("crate::Content::Plain({})", include(name)),
            (Some(gzip), brotli) => {
                let brotli = brotli.map_or("None".to_owned(), |it| format!("Some({it})"));
                format!("crate::Content::Compressed {{ gzip: {gzip}, brotli: {brotli} }}")
            }
        };
        writeln!(table, "File {{ path: {name:?}, content: {content} }},")?;
    }
    table.push(']');
    Ok(table)
}

/// Returns whether this is the compressed form of another file.
fn is_form(name: &str) -> bool {
    [".br", ".gz"].iter().any(|suffix| name.ends_with(suffix))
}

fn include(name: &str) -> String {
    format!(
        "include_bytes!(concat!(env!(\"OUT_DIR\"), {:?}))",
        format!("/dist/{name}")
    )
}

/// Copies a folder; appends the names of its files to `names`, with `prefix`.
fn copy_all(
    from: &Path,
    to: &Path,
    prefix: &str,
    names: &mut Vec<String>,
) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().display());
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &target, &format!("{name}/"), names)?;
        } else {
            fs::copy(entry.path(), target)?;
            names.push(name);
        }
    }
    Ok(())
}
