//! Who shares, and what responses forbid.

use super::{DECEPTION, SHARED, field};
use crate::cache::tests::attacks::Expected::{Apart, Shared};
use crate::cache::tests::attacks::{Expected, Row, Who};
use crate::stored::Protection;

const BY_APPLICATION: &str = r#"{"share": "application", "ttl_s": 600}"#;
const BY_PLAN: &str = r#"{"share": "plan", "ttl_s": 600}"#;
const BY_USER: &str = r#"{"share": "user", "ttl_s": 600}"#;

pub(super) fn rows() -> Vec<Row> {
    [shares(), identities(), sessions(), varying()].concat()
}

fn share(rules: &'static str, by: (Who, Who), expected: Expected) -> Row {
    Row {
        rules,
        by,
        expected,
        ..DECEPTION
    }
}

/// The callers that share, by each setting.
fn shares() -> Vec<Row> {
    let open = |by, expected| Row {
        first: "GET /open/7",
        second: "GET /open/7",
        ..share(BY_APPLICATION, by, expected)
    };
    let users = |rules, by, expected| Row {
        version: r#"{"security": {"api_key": {}, "basic": {}}}"#,
        ..share(rules, by, expected)
    };
    let (victim, attacker) = (Who::Victim, Who::Attacker);
    vec![
        Row {
            proves: Some(Protection::Application),
            ..share(BY_APPLICATION, (victim, attacker), Apart)
        },
        share(BY_APPLICATION, (attacker, Who::AttackerAgain), Shared),
        share(BY_APPLICATION, (attacker, Who::Sandbox), Apart),
        open((victim, Who::Nobody), Apart),
        open((Who::Nobody, victim), Apart),
        Row {
            field: "X-Forwarded-Host: evil",
            ..open((Who::Nobody, Who::Nobody), Shared)
        },
        share(BY_PLAN, (victim, attacker), Shared),
        share(BY_PLAN, (Who::Gold, attacker), Apart),
        share(SHARED, (Who::Gold, attacker), Shared),
        share(SHARED, (attacker, Who::Sandbox), Apart),
        users(BY_USER, (Who::User, Who::OtherUser), Apart),
        users(BY_USER, (Who::User, Who::User), Shared),
        users(BY_APPLICATION, (Who::User, Who::OtherUser), Shared),
        // Without a user, nobody shares.
        Row {
            is_kept: false,
            ..users(BY_USER, (attacker, Who::AttackerAgain), Apart)
        },
    ]
}

/// Callers that the upstream distinguishes by the fields of the gateway.
fn identities() -> Vec<Row> {
    let identity = |rules, by, expected| Row {
        version: r#"{"identity": "headers"}"#,
        ..share(rules, by, expected)
    };
    let proven = |rules, by| Row {
        proves: Some(Protection::Identity),
        ..identity(rules, by, Apart)
    };
    let (victim, attacker) = (Who::Victim, Who::Attacker);
    vec![
        proven(BY_PLAN, (victim, attacker)),
        proven(BY_APPLICATION, (attacker, Who::AttackerAgain)),
        Row {
            field: "X-Tollgate-Application: evil",
            ..identity(BY_PLAN, (attacker, attacker), Shared)
        },
        Row {
            field: "X_Tollgate_Scopes: evil",
            ..identity(BY_PLAN, (attacker, attacker), Shared)
        },
    ]
}

/// Sessions and credentials that the upstream gives or gets.
fn sessions() -> Vec<Row> {
    let answers = |fields| Row {
        answers: ("200 OK", fields),
        is_kept: false,
        ..share(SHARED, (Who::Victim, Who::Attacker), Apart)
    };
    let sets = |fields| Row {
        proves: Some(Protection::SetCookie),
        ..answers(fields)
    };
    let sends = |field, proves| Row {
        field,
        answers: ("200 OK", "Cache-Control: public, max-age=600"),
        proves: Some(proves),
        ..share(SHARED, (Who::Victim, Who::Attacker), Apart)
    };
    vec![
        sets("Set-Cookie: sid=1"),
        sets("Cache-Control: public, s-maxage=600\nset-COOKIE: sid=1; Secure"),
        answers("Cache-Control: private"),
        answers("Cache-Control: public, no-store"),
        answers("Cache-Control: max-age=600\nCache-Control: PRIVATE=\"x-a\""),
        answers("Content-Range: bytes 0-1/2"),
        answers("Content-Type: text/event-stream"),
        sends("Cookie: sid=secret", Protection::Cookie),
        sends("cookie: a=b\nCOOKIE: sid=secret", Protection::Cookie),
        sends("Authorization: Bearer secret", Protection::Authorization),
        sends("Range: secret=0-1", Protection::Range),
    ]
}

/// Responses that vary by a field.
fn varying() -> Vec<Row> {
    let vary = |fields, line| Row {
        answers: ("200 OK", fields),
        ..field(line, Apart)
    };
    let passed = |fields| Row {
        rules: r#"{"share": "all", "ttl_s": 600, "pass": ["X-Tenant"]}"#,
        is_kept: false,
        proves: Some(Protection::Vary),
        ..vary(fields, "X-Tenant: evil")
    };
    vec![
        passed("Vary: X-Tenant"),
        passed("vary: Accept , x-TENANT"),
        passed("Vary: Accept\nVary: X-Tenant"),
        passed(concat!(
            "Vary: a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, ",
            "a-a, b-b, c-c, d-d, e-e, f-f, g-g, h-h, i-i, j-j, k-k, l-l, m-m, n-n, o-o, ",
            "X-Tenant"
        )),
        Row {
            is_kept: false,
            proves: Some(Protection::Vary),
            ..vary("Vary: Traceparent", "traceparent: evil")
        },
        Row {
            is_kept: false,
            ..vary("Vary: *", "User-Agent: evil")
        },
        Row {
            expected: Shared,
            ..vary("Vary: User-Agent, X-Forwarded-Host", "User-Agent: evil")
        },
        vary("Vary: Cookie", "Cookie: sid=evil"),
        vary("Vary: Accept", "Accept: text/evil"),
        vary("Vary: Origin", "Origin: https://evil.example"),
    ]
}
