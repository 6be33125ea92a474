use super::{Previous, Rename, Successors};
use crate::operation::{Method, Operation};
use crate::path::Paths;
use crate::template::PathTemplate;

fn path(text: &str) -> PathTemplate {
    PathTemplate::parse(text).unwrap()
}

fn get(text: &str) -> Operation {
    Operation {
        method: Method::Get,
        path: path(text),
        summary: None,
        limits: Vec::new(),
        scopes: Vec::new(),
        anonymous: false,
    }
}

fn scoped(text: &str, scope: &str) -> Operation {
    Operation {
        scopes: vec![scope.to_owned()],
        ..get(text)
    }
}

#[test]
fn settings_are_kept_by_method_and_shape_of_path() {
    let open = Operation {
        anonymous: true,
        ..get("/open")
    };
    let before = [scoped("/pets/{pet}", "read"), open, scoped("/old", "old")];
    let post = Operation {
        method: Method::Post,
        ..get("/pets/{id}")
    };
    let mut now = vec![get("/pets/{id}"), post, get("/open"), get("/new")];
    let previous = Previous::new(&before, Paths::Exact);
    previous.keep_settings(&mut now, &[]);
    let kept: Vec<_> = now
        .iter()
        .map(|it| (it.scopes.len(), it.anonymous))
        .collect();
    assert_eq!(kept, [(1, false), (0, false), (0, true), (0, false)]);

    let rename = Rename {
        method: Method::Get,
        from: path("/old"),
        to: path("/new"),
    };
    previous.keep_settings(&mut now, &[rename]);
    assert_eq!(now[3].scopes, ["old"]);
}

#[test]
fn calls_of_a_removed_operation_reach_the_closest_other_one() {
    // The removed path, the previous ones, the present ones, and the one that receives the calls.
    let cases: &[(&str, &[&str], &[&str], Option<&str>)] = &[
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
    ];
    for (removed, before, now, expected) in cases {
        let mut before: Vec<_> = before.iter().map(|it| get(it)).collect();
        before.push(get(removed));
        let now: Vec<_> = now.iter().map(|it| get(it)).collect();
        let successors = Successors::new(&Previous::new(&before, Paths::Exact), &now);
        let found = successors.of(&get(removed)).map(|it| it.path.as_str());
        assert_eq!(found, *expected, "{removed} {now:?}");
    }
}
