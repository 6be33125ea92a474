use super::*;

/// What goes up of a field line that is only this.
fn goes_up(name: &str, upward: Upward<'_>) -> GoesUp {
    upward.judge(RequestLine {
        name: name.as_bytes(),
        class: FieldClass::of(name),
        is_named_hop: false,
        is_credential: false,
        has_session: name == "cookie",
    })
}

const ALL: Upward<'_> = Upward {
    fields: Fields::All,
    decides_cors: false,
    overrides: MethodOverride::Refuse,
    presented: Some(b"x-key"),
};

#[test]
fn a_field_goes_up_by_its_class_and_its_context() {
    let rows = [
        ("accept", GoesUp::Whole),
        ("RateLimit", GoesUp::Whole),
        ("origin", GoesUp::Whole),
        ("cookie", GoesUp::WithoutSession),
        ("host", GoesUp::Not),
        ("X-Forwarded-Host", GoesUp::Not),
        ("x_http_method", GoesUp::Not),
        ("X_Key", GoesUp::Not),
        ("x.tollgate_application", GoesUp::Not),
    ];
    for (name, expected) in rows {
        assert_eq!(goes_up(name, ALL), expected, "{name}");
    }
    let decided = Upward {
        decides_cors: true,
        overrides: MethodOverride::Pass,
        ..ALL
    };
    assert_eq!(goes_up("origin", decided), GoesUp::Not);
    assert_eq!(goes_up("x-http-method", decided), GoesUp::Whole);
}

#[test]
fn of_a_stored_response_only_listed_fields_and_the_trace_go_up() {
    let is_listed = |name: &[u8]| matches!(name, b"accept-language" | b"via" | b"x-request-id");
    let listed = Upward {
        fields: Fields::Listed(&is_listed),
        ..ALL
    };
    for name in ["accept-language", "traceparent", "Tracestate"] {
        assert_eq!(goes_up(name, listed), GoesUp::Whole, "{name}");
    }
    for name in ["accept", "via", "x-request-id", "cookie"] {
        assert_eq!(goes_up(name, listed), GoesUp::Not, "{name}");
    }
    let trace = Upward {
        fields: Fields::Trace,
        ..ALL
    };
    assert_eq!(goes_up("traceparent", trace), GoesUp::Whole);
    assert_eq!(goes_up("accept", trace), GoesUp::Not);
}

#[test]
fn a_response_keeps_what_belongs_to_the_connection_to_the_gateway_from_the_caller() {
    let down = |name: &str, decides_cors, sets_session| {
        let class = FieldClass::of(name);
        comes_down(name.as_bytes(), class, false, decides_cors, || sets_session)
    };
    assert!(down("content-type", true, false));
    assert!(down("cookie", false, false));
    assert!(down("Access-Control-Allow-Origin", false, false));
    assert!(!down("Access-Control-Allow-Origin", true, false));
    assert!(!down("set-cookie", false, true));
    assert!(!down("ratelimit-policy", false, false));
    assert!(!down("transfer-encoding", false, false));
}
