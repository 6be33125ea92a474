use super::{Previous, Rename};
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
        weight: 1,
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
    let dear = Operation {
        weight: 50,
        ..scoped("/old", "old")
    };
    let before = [scoped("/pets/{pet}", "read"), open, dear];
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
    let weights: Vec<_> = now.iter().map(|it| it.weight).collect();
    assert_eq!(weights, [1, 1, 1, 50]);
}

#[test]
fn an_operation_of_a_document_read_anew_keeps_the_settings_of_the_strictest() {
    let open = Operation {
        anonymous: true,
        ..get("/a/**")
    };
    let before = [
        get("/b/*"),
        scoped("/a/*", "read"),
        open,
        scoped("/{proxy%2B}", "all"),
    ];
    let mut now = vec![get("/a/{rest*}"), get("/b/{rest*}"), get("/{proxy+}")];
    let previous = Previous::new(&before, Paths::Exact);
    let renames = previous.reread(&now);
    let from: Vec<_> = renames.iter().map(|it| it.from.as_str()).collect();
    assert_eq!(from, ["/a/*", "/{proxy%2B}", "/b/*"]);
    previous.keep_settings(&mut now, &renames);
    assert_eq!(now[0].scopes, ["read"]);
    assert!(!now[0].anonymous);
    assert_eq!(now[2].scopes, ["all"]);
}
