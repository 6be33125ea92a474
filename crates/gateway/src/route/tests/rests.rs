//! The rest of a path.

use super::*;

const PATHS: &[(&str, &str)] = &[
    ("GET", "/menu"),
    ("GET", "/admin/{id}"),
    ("GET", "/files/{name}"),
    ("GET", "/files/{name}/secret"),
    ("GET", "/files/{rest*}"),
    ("GET", "/docs/{rest+}"),
    ("GET", "/{a}.json/{b}"),
    ("GET", "/stra%C3%9Fe/{n}"),
    ("GET", "/{all*}"),
    ("POST", "/{all*}"),
];

fn rests(change: impl FnOnce(&mut Configuration)) -> Snapshot {
    served(PATHS, change)
}

#[test]
fn a_rest_is_found_last_and_takes_any_segments() {
    let rows: &[Row] = &[
        ("", Ok(("/{all*}", ""))),
        ("/", Ok(("/{all*}", ""))),
        ("/menu", Ok(("/menu", ""))),
        ("/order", Ok(("/{all*}", ""))),
        ("/a/b/c", Ok(("/{all*}", ""))),
        ("/a/b/c/", Ok(("/{all*}", ""))),
        ("/a//b", Ok(("/{all*}", ""))),
        ("//", Ok(("/{all*}", ""))),
        ("/menu/today", Ok(("/{all*}", ""))),
        ("/files", Ok(("/files/{rest*}", ""))),
        ("/files/a", Ok(("/files/{name}", ""))),
        ("/files/a/b", Ok(("/files/{rest*}", ""))),
        ("/files/a/secret", Ok(("/files/{name}/secret", ""))),
        // The longest literal beginning that leads to an operation.
        ("/docs", Ok(("/{all*}", ""))),
        ("/docs/a/b", Ok(("/docs/{rest+}", ""))),
        ("/x.json/y", Ok(("/{a}.json/{b}", ""))),
        ("/x.json/y/z", Ok(("/{all*}", ""))),
        // Of a rest, nothing is decoded but unreserved characters.
        ("/q/%28a%2Cb%29/%7E", Ok(("/{all*}", "/q/%28a%2Cb%29/~"))),
    ];
    assert_rows(&rests(|_| {}), rows);
    let long = format!("/{}", "a/".repeat(1_900));
    let lead = lead_in(&rests(|_| {}), &format!("GET /odd{long}"));
    assert_eq!(lead, Ok(found(7, Method::Get, "/{all*}", &long)));
}

#[test]
fn an_operation_with_the_method_is_looked_for_in_the_rest() {
    let snapshot = rests(|_| {});
    let find = |line: &str| lead_in(&snapshot, line);
    let post = |up: &str| Ok(found(7, Method::Post, "/{all*}", up));
    assert_eq!(find("POST /odd/menu"), post("/menu"));
    assert_eq!(find("POST /odd/files/a"), post("/files/a"));
    assert_eq!(find("PUT /odd/menu"), Err(("route.no_operation", 405)));
    assert_eq!(find("POST /odd/admin/7"), post("/admin/7"));
}

#[test]
fn each_path_of_a_rest_is_judged_by_every_reading() {
    let rows: &[Row] = &[
        ("//admin/7", AMBIGUOUS),
        ("/admin//7", AMBIGUOUS),
        ("/admin/7/", AMBIGUOUS),
        ("/admin/7//", AMBIGUOUS),
        ("///admin///7///", AMBIGUOUS),
        ("//menu", AMBIGUOUS),
        ("/menu/", AMBIGUOUS),
        ("//files/a/secret", AMBIGUOUS),
        ("/files//a", AMBIGUOUS),
        ("/files/a/", AMBIGUOUS),
        ("/files/a/secret/", AMBIGUOUS),
        ("/admin/7;v=1/x", Ok(("/{all*}", ""))),
        ("/;/admin/7", AMBIGUOUS),
        ("/admin/7/;x", AMBIGUOUS),
        ("/admin%2F7", AMBIGUOUS),
        ("/admin%5C7", AMBIGUOUS),
        ("/admin/7%2F", AMBIGUOUS),
        ("/%2561dmin/7", AMBIGUOUS),
        ("/x/%252e%252e/admin/7", AMBIGUOUS),
        ("/admin/7/x", Ok(("/{all*}", ""))),
        ("/a/b/", Ok(("/{all*}", ""))),
        ("/a//b/", Ok(("/{all*}", ""))),
        ("/files/a/b/", Ok(("/files/{rest*}", ""))),
        ("/docs/", Ok(("/{all*}", ""))),
        ("/docs//a", Ok(("/docs/{rest+}", ""))),
        ("//docs/a", AMBIGUOUS),
        ("/a/../b", Err("listener.bad_request")),
        ("/a/b%2Fc", Ok(("/{all*}", ""))),
        ("/a/b%2500", AMBIGUOUS),
    ];
    assert_rows(&rests(|_| {}), rows);
    let refusing = rests(|it| it.encoded_slash = Some(EncodedSlash::Refuse));
    let rows: &[Row] = &[
        ("/a/b%2Fc", AMBIGUOUS),
        ("/a/b/c", Ok(("/{all*}", ""))),
        ("//admin/7", AMBIGUOUS),
    ];
    assert_rows(&refusing, rows);
    let ignoring = rests(|it| it.paths = Paths::IgnoreCase);
    let rows: &[Row] = &[
        ("/ADMIN/7", Ok(("/admin/{id}", ""))),
        ("/ADMIN/7/", AMBIGUOUS),
        ("/Admin%2F7", AMBIGUOUS),
    ];
    assert_rows(&ignoring, rows);
}

#[test]
fn a_reading_leads_to_no_other_operation_of_the_method() {
    let paths = &[
        ("GET", "/a/{r*}"),
        ("GET", "/c/{x}"),
        ("POST", "/{b}/y"),
        ("POST", "/{b}/{c}"),
        ("POST", "/{all*}"),
    ];
    let snapshot = served(paths, |_| {});
    let ambiguous = Err(("route.ambiguous", 400));
    // The closest template is the same with every reading, but it has no POST.
    assert_eq!(lead_in(&snapshot, "POST /odd/a/y/"), ambiguous);
    assert_eq!(lead_in(&snapshot, "POST /odd/c/y;z"), ambiguous);
    let same = found(7, Method::Post, "/{b}/{c}", "/c/x;z");
    assert_eq!(lead_in(&snapshot, "POST /odd/c/x;z"), Ok(same));
}

#[test]
fn no_reading_of_the_short_address_begins_with_the_name_of_a_different_version() {
    let snapshot = rests(|_| {});
    let ambiguous = Err(("route.ambiguous", 400));
    for path in ["//0.9/c", "/0.9;x/c", "/0.9%2Fc", "/0%252e9/c"] {
        assert_eq!(lead_in(&snapshot, &format!("GET /odd{path}")), ambiguous);
        let named = lead_in(&snapshot, &format!("GET /odd/1.0{path}"));
        assert_eq!(named, Ok(found(7, Method::Get, "/{all*}", path)));
    }
    let retired = lead_in(&snapshot, "GET /odd/0.9/c");
    assert_eq!(retired, Err(("route.no_api", 404)));
}
