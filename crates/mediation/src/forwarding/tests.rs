use super::*;

/// How a field with this name is forwarded.
fn forwarded(name: &str, rules: RequestRules<'_>) -> Forwarded {
    rules.judge(RequestField {
        name: name.as_bytes(),
        class: FieldClass::of(name),
        is_named_hop: false,
        is_credential: false,
        has_session: name == "cookie",
    })
}

const ALL: RequestRules<'_> = RequestRules {
    fields: Fields::All,
    decides_cors: false,
    overrides: MethodOverride::Refuse,
    presented: Some(b"x-key"),
};

#[test]
fn a_field_is_forwarded_by_its_class_and_its_context() {
    let rows = [
        ("accept", Forwarded::Whole),
        ("RateLimit", Forwarded::Whole),
        ("origin", Forwarded::Whole),
        ("cookie", Forwarded::WithoutSession),
        ("host", Forwarded::Not),
        ("X-Forwarded-Host", Forwarded::Not),
        ("x_http_method", Forwarded::Not),
        ("X_Key", Forwarded::Not),
        ("x.tollgate_application", Forwarded::Not),
    ];
    for (name, expected) in rows {
        assert_eq!(forwarded(name, ALL), expected, "{name}");
    }
    let decided = RequestRules {
        decides_cors: true,
        overrides: MethodOverride::Pass,
        ..ALL
    };
    assert_eq!(forwarded("origin", decided), Forwarded::Not);
    assert_eq!(forwarded("x-http-method", decided), Forwarded::Whole);
}

#[test]
fn a_field_that_the_connection_names_and_the_credential_are_not_forwarded() {
    for (is_named_hop, is_credential) in [(true, false), (false, true)] {
        let judged = ALL.judge(RequestField {
            name: b"accept",
            class: FieldClass::of("accept"),
            is_named_hop,
            is_credential,
            has_session: false,
        });
        assert_eq!(judged, Forwarded::Not, "{is_named_hop}, {is_credential}");
    }
}

#[test]
fn of_a_stored_response_only_listed_fields_and_the_trace_are_forwarded() {
    let is_listed = |name: &[u8]| matches!(name, b"accept-language" | b"via" | b"x-request-id");
    let listed = RequestRules {
        fields: Fields::Listed(&is_listed),
        ..ALL
    };
    for name in ["accept-language", "traceparent", "Tracestate"] {
        assert_eq!(forwarded(name, listed), Forwarded::Whole, "{name}");
    }
    for name in ["accept", "via", "x-request-id", "cookie"] {
        assert_eq!(forwarded(name, listed), Forwarded::Not, "{name}");
    }
    let trace = RequestRules {
        fields: Fields::Trace,
        ..ALL
    };
    assert_eq!(forwarded("traceparent", trace), Forwarded::Whole);
    assert_eq!(forwarded("accept", trace), Forwarded::Not);
}

#[test]
fn a_response_keeps_what_belongs_to_the_connection_to_the_gateway_from_the_caller() {
    let down = |name: &str, decides_cors, sets_session| {
        let class = FieldClass::of(name);
        forwards_response_field(name.as_bytes(), class, false, decides_cors, || sets_session)
    };
    assert!(down("content-type", true, false));
    assert!(down("cookie", false, false));
    assert!(down("Access-Control-Allow-Origin", false, false));
    assert!(!down("Access-Control-Allow-Origin", true, false));
    assert!(!down("set-cookie", false, true));
    assert!(!down("ratelimit-policy", false, false));
    assert!(!down("transfer-encoding", false, false));
}
