//! Segments that mix literals and parameters.

use super::*;

const MIXED_PATHS: &[(&str, &str)] = &[
    ("GET", "/m/{id}"),
    ("GET", "/m/{id}.json"),
    ("GET", "/m/{id}.min.json"),
    ("GET", "/m/fixed.json"),
    ("GET", "/p/{project}:cancel"),
    ("GET", "/p/{project}"),
    ("POST", "/p/{project}:undo"),
    ("GET", "/Orders({key})"),
    ("GET", "/compare/{base}...{head}"),
    ("GET", "/tiles/{z}/{x}/{y}.png"),
    ("GET", "/e%2F{x}.y/z"),
    ("GET", "/deep/{a}.x/{b}"),
    ("GET", "/deep/{a}/end"),
    ("GET", "/{any}9F"),
];

fn mixed(change: impl FnOnce(&mut Configuration)) -> Snapshot {
    served(MIXED_PATHS, change)
}

#[test]
fn the_closest_template_is_found() {
    let rows: &[Row] = &[
        ("/m/7.json", Ok(("/m/{id}.json", ""))),
        ("/m/7.js", Ok(("/m/{id}", ""))),
        ("/m/fixed.json", Ok(("/m/fixed.json", ""))),
        ("/m/a.min.json", Ok(("/m/{id}.min.json", ""))),
        ("/m/.min.json", Ok(("/m/{id}.json", ""))),
        // A parameter takes at least one byte.
        ("/m/.json", Ok(("/m/{id}", ""))),
        ("/compare/main...a/b", Err("route.no_operation")),
        (
            "/compare/v1...v2...v3",
            Ok(("/compare/{base}...{head}", "")),
        ),
        ("/compare/main...", Err("route.no_operation")),
        ("/tiles/1/2/3.png", Ok(("/tiles/{z}/{x}/{y}.png", ""))),
        ("/tiles/1/2/3.jpg", Err("route.no_operation")),
        ("/p/x:undo", Ok(("/p/{project}", ""))),
        // If the closer one leads to nothing, the next one is tried.
        ("/deep/a.x/end", Ok(("/deep/{a}.x/{b}", ""))),
        ("/deep/a.y/end", Ok(("/deep/{a}/end", ""))),
        ("/Orders(7)", Ok(("/Orders({key})", ""))),
        ("/Orders()", Err("route.no_operation")),
    ];
    assert_rows(&mixed(|_| {}), rows);
}

#[test]
fn literals_are_matched_however_they_are_encoded_and_parameters_stay_as_they_were_sent() {
    let rows: &[Row] = &[
        ("/m/7%2Ejson", Ok(("/m/{id}.json", "/m/7.json"))),
        ("/m/a%3Ab.json", Ok(("/m/{id}.json", ""))),
        (
            "/p/a%3Ab%3acancel",
            Ok(("/p/{project}:cancel", "/p/a%3Ab:cancel")),
        ),
        (
            "/Orders%28%277%27%29",
            Ok(("/Orders({key})", "/Orders(%277%27)")),
        ),
        ("/Orders%28%29%29", Ok(("/Orders({key})", "/Orders(%29)"))),
        ("/x9F", Ok(("/{any}9F", ""))),
        // No literal begins inside a percent-encoding.
        ("/x%C3%9F", Err("route.no_operation")),
        // Encoded twice, another template may match once the back end has decoded it.
        ("/m/7%252Ejson", AMBIGUOUS),
        ("/m/7%252Ejs", Ok(("/m/{id}", ""))),
        ("/p/x%253Acancel", AMBIGUOUS),
        ("/m/a;.json", AMBIGUOUS),
        ("/m/a.json;v=1", AMBIGUOUS),
        ("/x%25C3%259F", Ok(("/{any}9F", ""))),
    ];
    assert_rows(&mixed(|_| {}), rows);
    let any = |it: &mut Configuration| it.paths = Paths::IgnoreCase;
    let rows: &[Row] = &[
        ("/M/7.JSON", Ok(("/m/{id}.json", ""))),
        (
            "/oRDERS%28%4A%2f%29",
            Ok(("/Orders({key})", "/oRDERS(J%2f)")),
        ),
    ];
    assert_rows(&mixed(any), rows);
}

#[test]
fn an_encoded_slash_is_refused_in_a_parameter_and_not_in_a_literal() {
    let refusing = mixed(|it| it.encoded_slash = Some(EncodedSlash::Refuse));
    let rows: &[Row] = &[
        ("/m/a%2Fb.json", AMBIGUOUS),
        ("/Orders(a%2fb)", AMBIGUOUS),
        ("/e%2F7.y/z", Ok(("/e%2F{x}.y/z", ""))),
        ("/e%2F7%2F.y/z", AMBIGUOUS),
    ];
    assert_rows(&refusing, rows);
}

#[test]
fn matching_takes_time_in_proportion_to_the_path() {
    let parameters: Vec<_> = (0..16).map(|it| format!("{{p{it}}}")).collect();
    let template = format!("/{}b", parameters.join("aa"));
    let snapshot = served(&[("GET", &template)], |_| {});
    let begun = std::time::Instant::now();
    for _ in 0..1_000 {
        let found = lead_in(&snapshot, &format!("GET /odd/{}", "a".repeat(3_900)));
        assert_eq!(found, Err(("route.no_operation", 404)));
    }
    assert!(begun.elapsed().as_secs() < 20);
}
