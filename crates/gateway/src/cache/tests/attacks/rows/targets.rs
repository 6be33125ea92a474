//! Parameters, paths and hosts: poisoning by what the cache reads otherwise than the back end, and
//! deception by a path that looks static (Gil, "Web Cache Deception Attack"; "Gotta cache 'em
//! all").

use super::{DECEPTION, POISONING, field};
use crate::cache::tests::attacks::Expected::{Apart, Refused, Shared};
use crate::cache::tests::attacks::Row;
use crate::stored::Protection;

pub(super) fn rows() -> Vec<Row> {
    [parameters(), paths(), lures().into(), escapes(), hosts()].concat()
}

/// Parameters that cache and back end read differently.
fn parameters() -> Vec<Row> {
    let id = |first, expected| Row {
        rules: r#"{"share": "all", "ttl_s": 600, "query": ["id"]}"#,
        first,
        second: "GET /pets/7?id=1",
        expected,
        ..POISONING
    };
    let whole = |first| Row {
        first,
        second: "GET /pets/7?id=1",
        expected: Apart,
        ..POISONING
    };
    let cut = |first| Row {
        proves: Some(Protection::Parameters),
        ..id(first, Shared)
    };
    let none = Row {
        rules: r#"{"share": "all", "ttl_s": 600, "query": []}"#,
        second: "GET /pets/7",
        ..cut("GET /pets/7?callback=evil")
    };
    vec![
        none,
        cut("GET /pets/7?id=1&utm_source=evil"),
        cut("GET /pets/7?utm_content=x;id=evil&id=1"),
        cut("GET /pets/7?utm_content=x%26id=evil&id=1"),
        cut("GET /pets/7?id%3Devil&id=1"),
        cut("GET /pets/7?&&=evil&id=1"),
        cut("GET /pets/7?id[]=evil&id=1"),
        cut("GET /pets/7?Id=evil&id=1"),
        cut("GET /pets/7?id%00=evil&id=1"),
        cut("GET /pets/7?_method=evil&id=1"),
        id("GET /pets/7?id=1&id=evil", Apart),
        id("GET /pets/7?id=1;id=evil", Apart),
        id("GET /pets/7?id=1%26id=evil", Apart),
        id("GET /pets/7?%69d=evil&id=1", Apart),
        id("GET /pets/7?id=1?id=evil", Apart),
        id("GET /pets/7?id=1%00evil", Apart),
        id("GET /pets/7?id=1%23evil", Apart),
        id("GET /pets/7?id=1#evil", Refused(400)),
        whole("GET /pets/7?id=1&evil"),
        whole("GET /pets/7?evil&id=1"),
        whole("GET /pets/7??id=evil"),
        Row {
            version: r#"{"security": {"api_key": {"query": "key"}}}"#,
            first: "GET /pets/7?id=1&key={key}",
            ..id("", Shared)
        },
    ]
}

/// Paths that look like a file. The operation alone decides what is stored: `/me` has no cache.
fn paths() -> Vec<Row> {
    let lure = |first, status| Row {
        first,
        second: "GET /me",
        expected: Refused(status),
        is_kept: false,
        ..DECEPTION
    };
    vec![
        lure("GET /me/x.css", 404),
        lure("GET /me/", 404),
        lure("GET /me.css", 404),
        lure("GET /me;x.css", 404),
        lure("GET /me%3Bx.css", 404),
        lure("GET /me%2Fx.css", 404),
        lure("GET /me%00.css", 400),
        lure("GET /me%0A.css", 404),
        lure("GET /me%23.css", 404),
        lure("GET /me%3F.css", 404),
        lure("GET //me", 404),
        lure("GET /./me", 400),
        lure("GET /ME", 404),
        lure("GET /me\\x.css", 400),
        lure("GET /pets/../me", 400),
        lure("GET /pets/%2e%2e/me", 400),
        lure("GET /pets/..%2Fme", 400),
        lure("GET /pets/%252e%252e%252Fme", 400),
        lure("GET /pets/..;/me", 400),
        lure("GET /pets/7%2F..%2F..%2Fme", 400),
        lure("GET /pets\\..\\me", 400),
        Row {
            expected: Apart,
            ..lure("GET /me?x.css", 200)
        },
        Row {
            version: r#"{"paths": "ignore_case"}"#,
            expected: Apart,
            ..lure("GET /ME", 200)
        },
    ]
}

/// Paths that look like a file and that an operation has: each application has its own response.
fn lures() -> [Row; 8] {
    let lured = [
        "GET /pets/x.css",
        "GET /pets/7.js",
        "GET /pets/7;x.css",
        "GET /pets/7%3Bx.css",
        "GET /pets/7%0Ax.css",
        "GET /pets/7%23x.css",
        "GET /pets/7%3Fx.css",
        "GET /pets/7?x.css",
    ];
    lured.map(|call| Row {
        rules: r#"{"share": "application", "ttl_s": 600}"#,
        first: call,
        second: call,
        expected: Apart,
        proves: Some(Protection::Application),
        ..DECEPTION
    })
}

/// Spellings of a path: each that goes up is a key of its own.
fn escapes() -> Vec<Row> {
    let path = |first, expected| Row {
        first,
        expected,
        ..POISONING
    };
    vec![
        path("GET /pets/evil", Apart),
        path("GET /pets/7.evil", Apart),
        path("GET /pets/7.", Apart),
        // The gateway decodes what needs no escape.
        path("GET /pets/%37", Shared),
        path("GET /pets/7%0D%0AX-Host:%20evil", Apart),
        path("GET /pets/7%00evil", Refused(400)),
        path("GET /pets/7;evil", Apart),
        path("GET /pets/7%23evil", Apart),
        path("GET /pets/7#evil", Refused(400)),
        path("GET /pets/7/evil", Refused(404)),
        path("GET /pets/7%2Fevil", Refused(400)),
        path("GET /pets/7 HTTP/1.1 evil", Refused(400)),
    ]
}

/// Forms of `Host` and of the target.
fn hosts() -> Vec<Row> {
    let first = |first, expected| Row {
        first,
        expected,
        ..POISONING
    };
    vec![
        field("Host: evil.example", Shared),
        field("Host: EVIL.example:8443", Shared),
        field("Host: gateway:evil", Shared),
        field("Host: gateway/evil", Refused(400)),
        field("Host: gateway@evil", Refused(400)),
        field("Host: gateway\nHost: evil", Refused(400)),
        first("GET http://evil.example/pets/1.0/pets/7", Refused(400)),
        Row {
            field: "Host: evil.example",
            ..first("GET http://evil.example/pets/1.0/pets/7", Shared)
        },
        Row {
            field: "Host: evil.EXAMPLE:80",
            ..first("GET HTTP://EVIL.example:80/pets/1.0/pets/7", Shared)
        },
        first(
            "GET http://gateway@evil.example/pets/1.0/pets/7",
            Refused(400),
        ),
    ]
}
