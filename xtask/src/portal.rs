//! Checks the portals' layout: each route has a link and a row among the tested pages, pages are
//! short, and a stylesheet belongs to a component. `sizes` and `names` check their files, too.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

const SOURCES: &str = "portal/src/";
const ROUTES: &str = "portal/src/routes.tsx";
const LINKS: &str = "portal/src/paths.ts";
const PAGES: &str = "portal/tests/pages.ts";

/// Maximum lines of a page; longer ones contain parts that should be components.
const PAGE_LINES_MAX: usize = 250;

/// Whether several components in its folder import the stylesheet.
fn is_shared(tree: &Tree, styles: &TextFile) -> bool {
    let (folder, name) = styles.path.rsplit_once('/').unwrap_or(("", &styles.path));
    let import = format!("from \"./{name}\"");
    let uses = |file: &&TextFile| file.path.starts_with(folder) && file.text.contains(&import);
    tree.files.iter().filter(uses).count() > 1
}

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = routes(tree);
    for file in tree
        .files
        .iter()
        .filter(|file| file.path.starts_with(SOURCES))
    {
        let lines = file.text.lines().count();
        if file.name().ends_with("Page.tsx") && lines > PAGE_LINES_MAX {
            let text = format!("{lines} lines, but a page may have at most {PAGE_LINES_MAX}");
            faults.push(Fault::of_file(&file.path, text));
        }
        let component = file
            .path
            .strip_suffix(".module.css")
            .map(|stem| format!("{stem}.tsx"));
        if component.is_some_and(|component| tree.file(&component).is_none())
            && !is_shared(tree, file)
        {
            faults.push(Fault::of_file(&file.path, "no component has its name"));
        }
    }
    faults
}

/// Compares the three lists of routes.
fn routes(tree: &Tree) -> Vec<Fault> {
    let listed = |path, member| tree.file(path).map(|file| addresses(&file.text, member));
    let Some(routes) = listed(ROUTES, "path: \"") else {
        return Vec::new();
    };
    let links = listed(LINKS, "to: \"").unwrap_or_default();
    let pages = listed(PAGES, "route: \"").unwrap_or_default();
    let mut faults = Vec::new();
    for (&address, &line) in &routes {
        if !links.contains_key(address) {
            let text = format!("no function in {LINKS} leads to {address}");
            faults.push(Fault::of_line(ROUTES, line, text));
        }
        if !pages.contains_key(address) {
            let text = format!("{address} has no row in {PAGES}: no test opens it");
            faults.push(Fault::of_line(ROUTES, line, text));
        }
    }
    for (path, addresses) in [(LINKS, links), (PAGES, pages)] {
        for (address, line) in addresses {
            if !routes.contains_key(address) {
                faults.push(Fault::of_line(
                    path,
                    line,
                    format!("{address} is not a route"),
                ));
            }
        }
    }
    faults
}

/// Returns the quoted values of a member, each with its first line.
fn addresses<'t>(text: &'t str, member: &str) -> BTreeMap<&'t str, usize> {
    let mut addresses = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        for (start, _) in line.match_indices(member) {
            if let Some((address, _)) = line[start + member.len()..].split_once('"') {
                addresses.entry(address).or_insert(index + 1);
            }
        }
    }
    addresses
}
