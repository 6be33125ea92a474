use super::Overlaps;
use crate::operation::Method;
use crate::path::Paths;
use crate::template::PathTemplate;

/// The removed path, the previous ones, the present ones, and the one that receives the calls.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    Option<&'static str>,
);

#[test]
fn calls_of_a_removed_operation_reach_the_closest_other_one() {
    let cases: &[Case] = &[
        (
            "/pets/mine",
            &["/pets/{id}"],
            &["/pets/{id}"],
            Some("/pets/{id}"),
        ),
        ("/pets/mine", &[], &["/pets/{id}"], Some("/pets/{id}")),
        (
            "/pets/mine",
            &[],
            &["/{any}/mine", "/pets/{id}"],
            Some("/pets/{id}"),
        ),
        (
            "/pets/mine",
            &[],
            &["/pets/{id}/photos", "/cats/{id}"],
            None,
        ),
        // It has had those calls all along.
        ("/pets/{id}", &["/pets/mine"], &["/pets/mine"], None),
        ("/pets/{id}", &[], &["/pets/mine"], Some("/pets/mine")),
        (
            "/a.json",
            &["/{name}.json"],
            &["/{name}.json", "/{any}"],
            Some("/{name}.json"),
        ),
        ("/a.xml", &["/{name}.json"], &["/{name}.json"], None),
        ("/pets/mine", &["/{r*}"], &["/{r*}"], Some("/{r*}")),
        (
            "/pets/mine",
            &[],
            &["/{r*}", "/pets/{r+}"],
            Some("/pets/{r+}"),
        ),
        ("/{r*}", &[], &["/pets/{id}", "/{r+}"], Some("/pets/{id}")),
        ("/pets/{r+}", &[], &["/pets"], None),
    ];
    for (removed, before, now, expected) in cases {
        let mut overlaps = Overlaps::new(Paths::Exact);
        for path in *now {
            let template = PathTemplate::parse(path).unwrap();
            overlaps.add(Method::Get, &template, before.contains(path), *path);
        }
        let removed = PathTemplate::parse(removed).unwrap();
        let found = overlaps.closest(Method::Get, &removed);
        assert_eq!(found, *expected, "{removed} {now:?}");
        assert_eq!(overlaps.closest(Method::Post, &removed), None);
    }
}
