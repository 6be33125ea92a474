//! Poisoning by fields, bodies and methods (Kettle, "Practical Web Cache Poisoning", "Web Cache
//! Entanglement"; Nguyen et al., "Your Cache Has Fallen").

use super::{POISONING, SHARED, field};
use crate::cache::tests::attacks::Expected::{Apart, Refused, Shared};
use crate::cache::tests::attacks::Row;
use crate::stored::Protection;

/// Fields that back ends read, and that are not keyed.
const UNKEYED: [&str; 38] = [
    "X-Forwarded-Host: evil",
    "X-Forwarded-Scheme: evil",
    "X-Forwarded-Proto: evil",
    "X-Forwarded-Port: evil",
    "X-Forwarded-Prefix: /evil",
    "X-Forwarded-For: evil",
    "X-Forwarded-Server: evil",
    "X-Forwarded-SSL: evil",
    "X_Forwarded_Host: evil",
    "Forwarded: for=192.0.2.1;host=evil",
    "X-Host: evil",
    "X-Original-Host: evil",
    "X-HTTP-Host-Override: evil",
    "X-Original-URL: /evil",
    "X-Rewrite-URL: /evil",
    "X-Real-IP: evil",
    "True-Client-IP: evil",
    "CF-Connecting-IP: evil",
    "X-Client-IP: evil",
    "X-Tollgate-Application: evil",
    "User-Agent: evil",
    "Referer: https://evil.example/",
    "Accept-Charset: evil",
    "Accept-Encoding: evil",
    "Content-Type: text/evil",
    "Content-Encoding: evil",
    "Max-Forwards: evil",
    "Upgrade-Insecure-Requests: evil",
    "X-Requested-With: evil",
    "X-WAP-Profile: https://evil.example/",
    "If-None-Match: \"evil\"",
    "If-Modified-Since: evil",
    "Cache-Control: no-cache, evil",
    "Pragma: evil",
    "Cookie: tollgate_session=evil",
    "TE: evil",
    "Keep-Alive: evil",
    "Proxy-Authorization: Basic evil",
];

const BACKEND_READS_METHOD: &str = r#"{"method_override": "pass"}"#;

pub(super) fn rows() -> Vec<Row> {
    let unkeyed = UNKEYED.map(|line| Row {
        proves: Some(Protection::Fields),
        ..field(line, Shared)
    });
    [
        unkeyed.as_slice(),
        &keyed_or_replaced(),
        &hops(),
        &gone_by(),
        &bodies(),
        &denials(),
    ]
    .concat()
}

/// Fields that are keyed or replaced.
fn keyed_or_replaced() -> Vec<Row> {
    let tenant = |line| Row {
        rules: r#"{"share": "all", "ttl_s": 600, "headers": ["X-Tenant"]}"#,
        ..field(line, Apart)
    };
    vec![
        // The gateway writes these two itself.
        field("X-Request-Id: evil", Shared),
        field("Via: 1.1 evil", Shared),
        field("Accept: text/evil", Apart),
        field("Accept-Language: evil", Apart),
        field("Accept: */*\nAccept: evil", Apart),
        field("Accept-Encoding: gzip, br, evil", Apart),
        tenant("X-Tenant: evil"),
        tenant("x-TENANT: a\nX-Tenant: evil"),
        Row {
            second: "GET /pets/7\nX-Tenant: a, b",
            ..tenant("X-Tenant: a\nX-Tenant: b")
        },
        // Another field in the class of a keyed one.
        Row {
            expected: Shared,
            ..tenant("X_Tenant: evil")
        },
    ]
}

/// Fields that `Connection` makes hop-by-hop.
fn hops() -> Vec<Row> {
    vec![
        field("Accept: evil\nConnection: accept", Shared),
        field(
            "X-Forwarded-Host: evil\nConnection: x-forwarded-host",
            Shared,
        ),
        field("Cookie: a=evil\nConnection: cookie", Apart),
        field("Connection: apikey, evil", Shared),
        field("Connection: host, x-request-id, evil", Shared),
        field("Upgrade: evil\nConnection: upgrade", Shared),
    ]
}

/// Fields whose calls go by the cache.
fn gone_by() -> Vec<Row> {
    let by = |line, proves| Row {
        proves: Some(proves),
        ..field(line, Apart)
    };
    vec![
        by("Cookie: sid=evil", Protection::Cookie),
        by("Cookie: tollgate_session=x; sid=evil", Protection::Cookie),
        by("Range: evil=0-1", Protection::Range),
        by("If-Range: \"evil\"\nRange: bytes=0-1", Protection::Range),
        by("If-Match: \"evil\"", Protection::Range),
        by("If-Unmodified-Since: evil", Protection::Range),
        by("Authorization: Digest evil", Protection::Authorization),
        by("Origin: https://evil.example", Protection::Origin),
        Row {
            answers: ("206 Partial Content", "Content-Range: bytes 0-1/2"),
            status: 206,
            is_kept: false,
            ..field("Range: bytes=0-1", Apart)
        },
        // With CORS of the version, pages get the same response with lines of their own.
        Row {
            version: r#"{"policies": {
                "cache": {"share": "all", "ttl_s": 600},
                "cors": {"origins": ["https://evil.example", "https://own.example"]}}}"#,
            ..field("Origin: https://evil.example", Shared)
        },
        Row {
            version: BACKEND_READS_METHOD,
            ..by("X-HTTP-Method-Override: evil", Protection::MethodOverride)
        },
        Row {
            version: BACKEND_READS_METHOD,
            ..by("X_HTTP_Method: evil", Protection::MethodOverride)
        },
        field("X-HTTP-Method-Override: POST", Refused(400)),
        field("X-HTTP-Method: DELETE", Refused(400)),
        field("X-Method-Override: evil", Refused(400)),
        field("X-HTTP-Method-Override: GET", Shared),
    ]
}

/// Bodies of `GET`, and framing that the parser refuses.
fn bodies() -> Vec<Row> {
    let fat = |line| Row {
        proves: Some(Protection::Body),
        ..field(line, Apart)
    };
    let query = Row {
        first: "GET /pets/7?pet=7",
        second: "GET /pets/7?pet=7",
        ..fat("Content-Type: application/x-www-form-urlencoded\nContent-Length: 8\n\npet=evil")
    };
    vec![
        fat("Content-Length: 4\n\nevil"),
        fat("Transfer-Encoding: chunked\n\n4\r\nevil\r\n0\r\n\r\n"),
        query,
        field("Content-Length: 0", Shared),
        field(
            "Content-Length: 4\nTransfer-Encoding: chunked\n\nevil",
            Refused(400),
        ),
        field("Content-Length: 4\nContent-Length: 5\n\nevil", Refused(400)),
        field("Content-Length: +4\n\nevil", Refused(400)),
        field("Transfer-Encoding: evil", Refused(400)),
        field("Transfer-Encoding: gzip, chunked\n\nevil", Refused(400)),
        field("Transfer-Encoding : chunked\n\nevil", Refused(400)),
        field("X-A: a\n folded: evil", Refused(400)),
        field("X-A: a\rX-Forwarded-Host: evil", Refused(400)),
    ]
}

/// Denial of service by an error that is stored for others.
fn denials() -> Vec<Row> {
    let meta = Row {
        rules: r#"{"share": "all", "ttl_s": 600, "pass": ["X-Meta"]}"#,
        fault: Some("400 Bad Request"),
        ..field("X-Meta: evil", Apart)
    };
    let missing = Row {
        rules: r#"{"share": "all", "ttl_s": 600, "headers": ["X-Meta"],
            "negative_s": {"404": 60}}"#,
        fault: Some("404 Not Found"),
        ..field("X-Meta: evil", Apart)
    };
    let only_stored = Row {
        rules: r#"{"share": "all", "ttl_s": 600, "obey_request": true}"#,
        ..field("Cache-Control: only-if-cached", Refused(504))
    };
    let fault = |fault| Row {
        fault: Some(fault),
        ..meta
    };
    let fields = "X-A: evil\nX-B: b\nX-C: c\nX-D: d\nX-E: e\nX-F: f\nX-G: g\nX-H: h\nX-I: i";
    vec![
        field(long_field(), Refused(431)),
        field(fields, Refused(431)),
        field("X-Meta: evil\u{7}", Refused(400)),
        field("X-Meta: evil\0", Refused(400)),
        field("X Meta: evil", Refused(400)),
        field(": evil", Refused(400)),
        field("Expect: evil", Refused(400)),
        field("Upgrade: websocket\nConnection: upgrade", Refused(400)),
        meta,
        fault("403 Forbidden"),
        fault("500 Internal Server Error"),
        fault("302 Found"),
        missing,
        only_stored,
        Row {
            first: "POST /pets/7\nContent-Length: 4\n\nevil",
            ..field("", Refused(405))
        },
        Row {
            first: "HEAD /pets/7",
            ..field("", Apart)
        },
        Row {
            rules: SHARED,
            second: "HEAD /pets/7",
            ..POISONING
        },
    ]
}

/// A field that is longer than a head may be.
fn long_field() -> &'static str {
    const LINE: &[u8; 9_000] = &{
        let mut line = [b'a'; 9_000];
        line[0] = b'X';
        line[1] = b':';
        line
    };
    str::from_utf8(LINE).unwrap()
}
