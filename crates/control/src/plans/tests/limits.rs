//! What is refused in the limits of a plan, with its code and field.

use serde_json::Value;
use tollgate_model::user::Role;

use crate::harness::House;

const TEN: &str = r#""per":"subscription","amount":10,"window":"day""#;

/// Limits of a plan, the code of their fault, its field below `/limits`, a part of its sentence.
type Row = (String, &'static str, &'static str, &'static str);

/// A row with one limit that has these members besides its own.
fn row(members: &str, code: &'static str, field: &'static str, detail: &'static str) -> Row {
    (format!("[{{{TEN},{members}}}]"), code, field, detail)
}

fn amount(amount: &str, code: &'static str, detail: &'static str) -> Row {
    let limits = format!(r#"[{{"per":"subscription","amount":{amount},"window":"day"}}]"#);
    (limits, code, "/0/amount", detail)
}

fn window(window: &str, code: &'static str, detail: &'static str) -> Row {
    let limits = format!(r#"[{{"per":"subscription","amount":10,"window":{window}}}]"#);
    (limits, code, "/0/window", detail)
}

async fn expect_refusals(rows: impl IntoIterator<Item = Row>) {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    for (limits, code, field, detail) in rows {
        let body = format!(r#"{{"name":"copper","limits":{limits}}}"#);
        let call = house.call("POST", "/api/v1/plans");
        let answer = call.body("application/json", body).by(&root).await;
        let limits = limits.get(..300).unwrap_or(&limits);
        assert_eq!(answer.problem(), (422, code), "{limits}");
        let errors = answer.body["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{limits}: {errors:?}");
        let text = |name: &str| errors[0][name].as_str().unwrap();
        assert_eq!(text("field"), format!("/limits{field}"), "{limits}");
        assert!(
            text("detail").contains(detail),
            "{limits}: {}",
            text("detail")
        );
    }
    let plans = house.get("/api/v1/plans").by(&root).await.expect(200);
    assert_eq!(
        plans.body["items"].as_array().map(Vec::len),
        Some(5),
        "none was saved"
    );
}

#[tokio::test]
async fn bad_numbers_and_windows_are_refused() {
    let seconds = (2..35)
        .map(|count| format!(r#"{{"per":"subscription","amount":10,"window":"{count} seconds"}}"#));
    let seconds = seconds.collect::<Vec<_>>().join(",");
    let zone = r#"[{"per":"api","amount":10,"window":"minute",
        "algorithm":{"type":"fixed","zone":"Europe/Rome"}}]"#;
    let rows = [
        (
            format!("[{seconds}]"),
            "limit.too_many",
            "",
            "at most 32 limits",
        ),
        amount("0", "limit.amount", "1 to 281474976710655"),
        amount("281474976710656", "limit.amount", "1 to 281474976710655"),
        amount("18446744073709551616", "body.invalid", "a whole number"),
        amount("1.5", "body.invalid", "a whole number"),
        amount(r#""10""#, "body.invalid", "a whole number"),
        window("0", "body.invalid", "a string"),
        window(r#""0 minutes""#, "limit.window", "a window is a unit"),
        window(r#""1001 days""#, "limit.window", "at most 1000"),
        window(r#""fortnight""#, "limit.window", "a window is a unit"),
        window("null", "limit.window", "missing"),
        (
            zone.to_owned(),
            "limit.zone_unused",
            "/0/algorithm/zone",
            "below a day",
        ),
        row(
            r#""algorithm":{"type":"fixed","anchor":"2026-02-30"}"#,
            "limit.anchor",
            "/0/algorithm/anchor",
            "is not a date",
        ),
        row(
            r#""soft":{"overage_percent":10},"on_exceeding":"observe""#,
            "limit.soft",
            "/0/soft",
            "only observes",
        ),
        row(
            r#""soft":{"overage_percent":65536}"#,
            "body.invalid",
            "/0/soft/overage_percent",
            "65535",
        ),
        (
            format!(r#"[{{{TEN}}},{{{TEN},"name":"b"}}]"#),
            "limit.repeated",
            "/1",
            "the same thing",
        ),
        row(
            r#""plans":["gold"]"#,
            "limit.plans",
            "/0/plans",
            "only limits of operations",
        ),
    ];
    expect_refusals(rows).await;
}

#[tokio::test]
async fn bad_conditions_are_refused() {
    let addresses = (0..1_001).map(|it| format!(r#""10.0.{}.{}""#, it / 256, it % 256));
    let addresses = addresses.collect::<Vec<_>>().join(",");
    let code = "limit.if";
    let rows = [
        row(r#""if":{}"#, code, "/0/if", "needs a test"),
        row(
            r#""if":{"headers":{"Authorization":["Basic*"]}}"#,
            code,
            "/0/if/headers/Authorization",
            "a credential",
        ),
        row(
            r#""if":{"headers":{"apikey":["a"]}}"#,
            code,
            "/0/if/headers/apikey",
            "a credential",
        ),
        row(
            &format!(r#""if":{{"addresses":[{addresses}]}}"#),
            code,
            "/0/if/addresses",
            "1 to 1000",
        ),
        row(
            r#""if":{"addresses":["10.0.0.1/8"]}"#,
            code,
            "/0/if/addresses/0",
            "bits beyond",
        ),
        row(
            r#""otherwise":true"#,
            code,
            "/0/otherwise",
            "no limit of this list",
        ),
        row(
            r#""if":{"addresses":"10.0.0.0/8"}"#,
            "body.invalid",
            "/0/if/addresses",
            "a list of",
        ),
        row(
            r#""if":{"query":{"a":[1]}}"#,
            "body.invalid",
            "/0/if/query/a/0",
            "a string",
        ),
    ];
    expect_refusals(rows).await;
}

/// What control plane and gateways leave out on purpose is refused with its name.
#[tokio::test]
async fn members_and_words_that_do_not_exist_are_refused_by_name() {
    let code = "body.invalid";
    let rows = [
        row(r#""alerts":[80]"#, code, "/0/alerts", "`alerts`"),
        row(r#""mode":"exact""#, code, "/0/mode", "`mode`"),
        row(
            r#""metric":"llm_tokens""#,
            code,
            "/0/metric",
            "`llm_tokens`",
        ),
        row(
            r#""on_exceeding":"delay""#,
            code,
            "/0/on_exceeding",
            "calls cannot be delayed",
        ),
        row(
            r#""on_exceeding":{"delay_ms_max":5}"#,
            code,
            "/0/on_exceeding",
            "calls cannot be delayed",
        ),
        row(
            r#""if":"caller.plan == \"gold\"""#,
            code,
            "/0/if",
            "expected an object",
        ),
        row(
            r#""if":{"scopes":["read"]}"#,
            code,
            "/0/if/scopes",
            "`scopes`",
        ),
        row(
            r#""if":{"methods":["GET"]}"#,
            code,
            "/0/if/methods",
            "`methods`",
        ),
        row(
            r#""if":{"claims":{"tier":["a"]}}"#,
            code,
            "/0/if/claims",
            "`claims`",
        ),
        row(
            r#""if":{"headers":{"x":{"in":["a"]}}}"#,
            code,
            "/0/if/headers/x/in",
            "`in`",
        ),
    ];
    expect_refusals(rows).await;
}

#[tokio::test]
async fn each_member_of_a_limit_is_saved_and_shown() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let limits = serde_json::json!([
        {"per": "subscription", "amount": 10, "window": "day", "algorithm": {"type": "fixed"}},
        {"name": "a.day", "metric": "bytes", "per": ["application", "api"], "amount": 10,
         "window": "5 days", "soft": {"overage_percent": 10},
         "algorithm": {"type": "fixed", "zone": "Europe/Rome", "anchor": "2026-01-31"}},
        {"per": ["operation", "user"], "amount": 10, "window": "hour",
         "algorithm": {"type": "rolling"}, "on_exceeding": "observe",
         "if": {"addresses": {"not": ["10.0.0.0/8"]}, "environment": ["sandbox"],
                "headers": {"x-tier": ["free*"]}, "query": {"v": ["1"]}}},
        {"metric": "concurrent", "per": "address", "amount": 10, "algorithm": {"type": "fixed"},
         "otherwise": true},
    ]);
    let plan = serde_json::json!({"name": "copper", "limits": limits, "count_failures": false});
    let made = house
        .post("/api/v1/plans", plan)
        .by(&root)
        .await
        .expect(201);
    let shown = house
        .get(&format!("/api/v1/plans/{}", made.text("/id")))
        .by(&root)
        .await;
    for body in [made.body, shown.expect(200).body] {
        assert_eq!(body["limits"], limits);
        assert_eq!(body["count_failures"], Value::Bool(false));
    }
}
