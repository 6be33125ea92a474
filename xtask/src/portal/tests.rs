//! Tests of the checks of the portals' layout.

use crate::portal::check;
use crate::tree::Tree;

const ROUTES: &str = "const a = createRoute({\n  path: \"/apis/$version\",\n});\n";
const LINKS: &str = "  version: () => ({ to: \"/apis/$version\" }),\n";
const PAGES: &str = "  { route: \"/apis/$version\", name: \"version\" },\n";

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files))
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn faults_of_lists(routes: &str, links: &str, pages: &str) -> Vec<String> {
    faults(&[
        ("portal/src/routes.tsx", routes),
        ("portal/src/paths.ts", links),
        ("portal/tests/pages.ts", pages),
    ])
}

#[test]
fn a_route_with_a_link_and_a_row_is_fine() {
    assert_eq!(faults_of_lists(ROUTES, LINKS, PAGES), [""; 0]);
}

#[test]
fn a_route_without_a_link_or_a_row_is_a_fault() {
    assert_eq!(
        faults_of_lists(ROUTES, "", ""),
        [
            "portal/src/routes.tsx:2: no function in portal/src/paths.ts leads to /apis/$version",
            "portal/src/routes.tsx:2: /apis/$version has no row in portal/tests/pages.ts: no test \
             opens it",
        ]
    );
}

#[test]
fn addresses_without_a_route_are_faults() {
    assert_eq!(
        faults_of_lists("", LINKS, PAGES),
        [
            "portal/src/paths.ts:1: /apis/$version is not a route",
            "portal/tests/pages.ts:1: /apis/$version is not a route",
        ]
    );
}

#[test]
fn a_long_page_is_a_fault_and_a_long_component_is_not() {
    let long = "x\n".repeat(251);
    assert_eq!(
        faults(&[
            ("portal/src/a/APage.tsx", &long),
            ("portal/src/a/Part.tsx", &long)
        ]),
        ["portal/src/a/APage.tsx: 251 lines, but a page may have at most 250"]
    );
}

#[test]
fn a_stylesheet_without_its_component_is_a_fault() {
    let files = [
        ("portal/src/ui/Card.module.css", ""),
        ("portal/src/ui/Card.tsx", ""),
        ("portal/src/ui/Gone.module.css", ""),
    ];
    let seen = faults(&files);
    assert_eq!(
        seen,
        ["portal/src/ui/Gone.module.css: no component has its name"]
    );
}
