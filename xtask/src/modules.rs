//! How modules and crates introduce themselves: no `mod.rs`, a `//!` head in each module,
//! a README in each crate that is its documentation, a reason beside each ignored test.

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
        let text = "no mod.rs: the module's file stands beside its folder and has its name";
        return Some(Fault::of_file(&file.path, text));
    }
    // `tests.rs` beside a module is introduced by the module's own head.
    let is_beside = file.name() == "tests.rs";
    let has_head = is_beside
        || file.text.starts_with("//! ")
        || file.text.starts_with("#![doc = include_str!(");
    let text = "begins without //!: what lives here, who are the neighbours?";
    (!has_head).then(|| Fault::of_line(&file.path, 1, text))
}

fn readme(tree: &Tree, folder: &str) -> Option<Fault> {
    let path = format!("{folder}/README.md");
    let Some(readme) = tree.file(&path) else {
        return Some(Fault::of_file(&path, "each crate has a README"));
    };
    if !readme.text.starts_with("# ") {
        return Some(Fault::of_line(&path, 1, "begins without a title"));
    }
    let library = tree.file(&format!("{folder}/src/lib.rs"))?;
    let is_included = library
        .text
        .contains("#![doc = include_str!(\"../README.md\")]");
    let text = "the README is not the crate's documentation: include_str! it";
    (!is_included).then(|| Fault::of_file(&library.path, text))
}
