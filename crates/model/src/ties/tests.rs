use super::*;

/// Returns the template with which the last one ties.
fn tie(paths: Paths, templates: &[&str]) -> Option<String> {
    let mut ties = Ties::new(paths);
    let added = templates.iter().map(|text| {
        let template = PathTemplate::parse(text).unwrap();
        ties.add(&template).map(|it| it.as_str().to_owned())
    });
    added.last().unwrap()
}

#[test]
fn templates_with_equally_many_literal_characters_tie_on_a_path() {
    let rows: &[(&[&str], Option<&str>)] = &[
        (&["/{a}b", "/c{d}"], Some("/{a}b")),
        (&["/{a}.json", "/{a}.yaml"], None),
        (&["/{a}.json", "/{a}.tar.gz"], None),
        (&["/{a}", "/{a}.json", "/a.json"], None),
        // The same template, with another method.
        (&["/{a}.json", "/{b}.json"], None),
        (&["/{a}%2Ejson", "/{b}.json"], None),
        (&["/x/{a}b/y", "/x/c{d}/{e}"], Some("/x/{a}b/y")),
        (&["/x/{a}b/y", "/x/c{d}/z"], None),
        (&["/x/{a}b", "/y/c{d}"], None),
        (&["/{a}b", "/c{d}/"], None),
        // An earlier segment decides.
        (&["/x/{a}b", "/{x}/c{d}"], None),
        (&["/{a}.{b}/x{c}", "/{a}.{b}/{c}y"], Some("/{a}.{b}/x{c}")),
        (&["/{a*}", "/{b+}"], Some("/{a*}")),
        (&["/x/{a+}", "/x/{b*}"], Some("/x/{a+}")),
        (&["/{a*}", "/{b*}"], None),
        (&["/{a*}", "/x/{b+}", "/{c}", "/"], None),
        (&["/{a}b/{r*}", "/c{d}"], Some("/{a}b/{r*}")),
        (&["/{a}b/{r+}", "/c{d}"], None),
        (&["/{a}b/{r*}", "/c{d}/x/y"], Some("/{a}b/{r*}")),
        (&["/{a}b/x/{r*}", "/c{d}/y/{r*}"], None),
        // A template that ties is left out, and ties with nothing itself.
        (&["/{a}bb", "/c{d}b", "/c{d}c"], None),
        (&["/c{d}B", "/{a}be"], None),
    ];
    for (templates, expected) in rows {
        let found = tie(Paths::Exact, templates);
        assert_eq!(found.as_deref(), *expected, "{templates:?}");
    }
    assert_eq!(tie(Paths::Exact, &["/{a}Be", "/{a}be"]), None);
    let ignoring = tie(Paths::IgnoreCase, &["/{a}Be", "/B{a}e"]);
    assert_eq!(ignoring.as_deref(), Some("/{a}Be"));
}

#[test]
fn thousands_of_templates_are_compared_in_little_time() {
    let mut ties = Ties::new(Paths::Exact);
    let begun = std::time::Instant::now();
    for number in 0..4_000 {
        let template = PathTemplate::parse(&format!("/{{a}}-{number:05}")).unwrap();
        assert_eq!(ties.add(&template), None);
    }
    assert!(begun.elapsed().as_secs() < 20);
}
