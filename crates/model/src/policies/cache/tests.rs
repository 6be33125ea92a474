use std::collections::BTreeMap;

use super::{Cache, ENTRY_BYTES_MAX, SECONDS_MAX, Share, Surroundings};
use crate::security::{Identity, Security};

fn faults(cache: &Cache, identity: Identity) -> Vec<(String, String)> {
    let surroundings = Surroundings {
        identity,
        security: &Security::api_key("X-Key"),
        presented: &["X-Back-End"],
    };
    let faults = cache.faults(surroundings).into_iter();
    faults.map(|it| (it.field, it.code)).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn each_value_beyond_its_bounds_is_a_fault() {
    let default = Cache::default;
    let rows: Vec<(&str, Cache)> = vec![
        (
            "/ttl_s",
            Cache {
                ttl_s: Some(0),
                ..default()
            },
        ),
        (
            "/ttl_s",
            Cache {
                ttl_s: Some(SECONDS_MAX + 86_400),
                ..default()
            },
        ),
        (
            "/stale_if_error_s",
            Cache {
                stale_if_error_s: Some(SECONDS_MAX + 1),
                ..default()
            },
        ),
        (
            "/wait_ms",
            Cache {
                wait_ms: 60_001,
                ..default()
            },
        ),
        (
            "/negative_s/302",
            Cache {
                negative_s: BTreeMap::from([("302".to_owned(), 5)]),
                ..default()
            },
        ),
        (
            "/negative_s/a~1b",
            Cache {
                negative_s: BTreeMap::from([("a/b".to_owned(), 5)]),
                ..default()
            },
        ),
        (
            "/negative_s/+404",
            Cache {
                negative_s: BTreeMap::from([("+404".to_owned(), 5)]),
                ..default()
            },
        ),
        (
            "/negative_s/429",
            Cache {
                negative_s: BTreeMap::from([("429".to_owned(), 5)]),
                ..default()
            },
        ),
        (
            "/negative_s/404",
            Cache {
                negative_s: BTreeMap::from([("404".to_owned(), 0)]),
                ..default()
            },
        ),
        (
            "/entry_bytes_max",
            Cache {
                entry_bytes_max: ENTRY_BYTES_MAX + 1,
                ..default()
            },
        ),
        (
            "/query/1",
            Cache {
                query: Some(names(&["a", "a"])),
                ..default()
            },
        ),
        (
            "/pass/0",
            Cache {
                pass: names(&["Accept"]),
                ..default()
            },
        ),
        (
            "/pass/0",
            Cache {
                pass: names(&["x_key"]),
                ..default()
            },
        ),
        (
            "/headers/0",
            Cache {
                headers: names(&["x-back-end"]),
                ..default()
            },
        ),
    ];
    for (field, cache) in rows {
        let found = faults(&cache, Identity::None);
        assert_eq!(found.len(), 1, "{cache:?}: {found:?}");
        assert_eq!(found[0].0, field, "{cache:?}");
    }
    let bounds = Cache {
        ttl_s: Some(SECONDS_MAX),
        stale_if_error_s: Some(0),
        negative_s: BTreeMap::from([("404".to_owned(), 5), ("503".to_owned(), 1)]),
        entry_bytes_max: ENTRY_BYTES_MAX,
        pass: names(&["x-correlation-id"]),
        ..default()
    };
    assert_eq!(faults(&bounds, Identity::None), []);
}

#[test]
fn fields_that_change_the_resource_or_the_caller_are_in_neither_list() {
    let forbidden = [
        "Cookie",
        "Authorization",
        "Range",
        "If-None-Match",
        "If-Modified-Since",
        "Host",
        "Via",
        "Forwarded",
        "X-Forwarded-Host",
        "x_forwarded_host",
        "X-Forwarded-Prefix",
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-HTTP-Method-Override",
        "X-Method-Override",
        "X-HTTP-Method",
        "TE",
        "Connection",
        "Transfer-Encoding",
        "Content-Length",
        "Content-Type",
        "X-Tollgate-Plan",
        "X-Request-Id",
        "traceparent",
        "Accept-Encoding",
        "Origin",
        "X-Real-IP",
        "a b",
        "",
    ];
    for name in forbidden {
        for in_headers in [true, false] {
            let cache = match in_headers {
                true => Cache {
                    headers: names(&[name]),
                    ..Cache::default()
                },
                false => Cache {
                    pass: names(&[name]),
                    ..Cache::default()
                },
            };
            assert_eq!(faults(&cache, Identity::None).len(), 1, "{name:?}");
        }
    }
}

#[test]
fn callers_with_an_identity_do_not_share() {
    let all = Cache {
        share: Share::All,
        ..Cache::default()
    };
    assert_eq!(faults(&all, Identity::None), []);
    let shared = ("/share".to_owned(), "cache.share".to_owned());
    assert_eq!(faults(&all, Identity::Headers), [shared]);
    assert_eq!(faults(&Cache::default(), Identity::Headers), []);
    let jwt = (String::new(), "cache.share".to_owned());
    assert_eq!(faults(&Cache::default(), Identity::Jwt), [jwt]);
}

#[test]
fn the_reference_has_each_field_with_its_default() {
    let page = include_str!("../../../../../docs/reference/cache.md");
    let default = serde_json::to_value(Cache::default()).unwrap();
    let whole = Cache {
        ttl_s: Some(1),
        query: Some(Vec::new()),
        stale_while_revalidate_s: Some(1),
        stale_if_error_s: Some(1),
        ..Cache::default()
    };
    let whole = serde_json::to_value(whole).unwrap();
    for name in whole.as_object().unwrap().keys() {
        let row = page
            .lines()
            .find(|it| it.starts_with(&format!("| `{name}` |")));
        let cells: Vec<_> = row.expect(name).split(" | ").collect();
        let expected = default.get(name).map(|it| format!("`{it}`"));
        assert_eq!(cells[2], expected.as_deref().unwrap_or("absent"), "{name}");
    }
}
