//! Writes the table of `portal/dist` into the crate: `include!`d by `src/table.rs`. Without a built
//! portal the table is empty, so that `cargo build` needs no Node.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root = manifest.join("../..").canonicalize()?;
    let dist = root.join("portal/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut paths = Vec::new();
    if dist.is_dir() {
        gather(&dist, &mut paths)?;
    }
    paths.sort();
    let mut table = String::from("&[\n");
    for path in &paths {
        let name = path.strip_prefix(&dist)?.display().to_string();
        let is_variant = ["br", "gz"]
            .iter()
            .any(|it| path.extension() == Some(it.as_ref()));
        if is_variant {
            continue;
        }
        let variant = |suffix: &str| {
            let path = PathBuf::from(format!("{}.{suffix}", path.display()));
            let is_there = paths.contains(&path);
            is_there.then(|| format!("include_bytes!({:?})", path.display().to_string()))
        };
        writeln!(
            table,
            "File {{ path: {name:?}, bytes: include_bytes!({:?}), brotli: {}, gzip: {} }},",
            path.display().to_string(),
            optional(variant("br")),
            optional(variant("gz")),
        )?;
    }
    table.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("table.rs"), table)?;
    Ok(())
}

fn optional(expression: Option<String>) -> String {
    expression.map_or_else(|| "None".to_owned(), |it| format!("Some({it})"))
}

fn gather(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
