//! Checks the documentation of modules and crates: no `mod.rs`, a `//!` header in each module, a
//! README in each crate that is its documentation, a reason for each ignored test.

use crate::fault::Fault;
use crate::layers::Package;
use crate::survey::Survey;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

pub(crate) fn check(tree: &Tree, packages: &[Package], surveys: &[Survey]) -> Vec<Fault> {
    let mut faults: Vec<Fault> = tree.rust_files().filter_map(head).collect();
    faults.extend(
        packages
            .iter()
            .flat_map(|package| readme(tree, &package.folder)),
    );
    for survey in surveys {
        let bare = |&line| Fault::of_line(&survey.path, line, "#[ignore] without a reason");
        faults.extend(survey.bare_ignores.iter().map(bare));
    }
    faults
}

fn head(file: &TextFile) -> Option<Fault> {
    if file.name() == "mod.rs" {
        let text = "no mod.rs: name the module's file like its folder, next to it";
        return Some(Fault::of_file(&file.path, text));
    }
    // The module's own header introduces its `tests.rs`.
    let is_beside = file.name() == "tests.rs";
    let has_head = is_beside
        || file.text.starts_with("//! ")
        || file.text.starts_with("#![doc = include_str!(");
    let text = "no //! header: describe the module and its neighbours";
    (!has_head).then(|| Fault::of_line(&file.path, 1, text))
}

fn readme(tree: &Tree, folder: &str) -> Option<Fault> {
    let path = format!("{folder}/README.md");
    let Some(readme) = tree.file(&path) else {
        return Some(Fault::of_file(&path, "the crate has no README"));
    };
    if !readme.text.starts_with("# ") {
        return Some(Fault::of_line(&path, 1, "no title"));
    }
    let library = tree.file(&format!("{folder}/src/lib.rs"))?;
    let is_included = library
        .text
        .contains("#![doc = include_str!(\"../README.md\")]");
    let text = "the README is not the crate's documentation: use include_str!";
    (!is_included).then(|| Fault::of_file(&library.path, text))
}
