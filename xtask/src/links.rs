//! Checks that relative links in Markdown files point to existing files or folders.

use std::collections::BTreeSet;

use crate::fault::Fault;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut places = BTreeSet::new();
    for file in &tree.files {
        let ends = file.path.match_indices('/').map(|(end, _)| end);
        places.extend(ends.chain([file.path.len()]).map(|end| &file.path[..end]));
    }
    let pages = tree.files.iter().filter(|file| file.extension() == "md");
    pages.flat_map(|page| of_page(page, &places)).collect()
}

fn of_page(page: &TextFile, places: &BTreeSet<&str>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        for target in targets(line) {
            let place = resolve(&page.path, target);
            if !place
                .as_deref()
                .is_some_and(|place| place.is_empty() || places.contains(place))
            {
                let text = format!("broken link to {target}");
                faults.push(Fault::of_line(&page.path, index + 1, text));
            }
        }
    }
    faults
}

/// Returns the paths in `](…)`: no URLs, no anchors on the page, no Rust paths.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let after = line
        .match_indices("](")
        .map(|(start, _)| &line[start + 2..]);
    let inside = after.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let paths = inside.map(|target| target.split(['#', ' ']).next().unwrap_or(target));
    paths.filter(|path| !path.is_empty() && !path.contains("::") && !path.contains(':'))
}

/// Resolves a target to a path from the root; `None` if it is outside the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
