use std::collections::BTreeSet;

use super::*;

fn codes(terms: &str) -> Vec<String> {
    let terms: PlanTerms = serde_json::from_str(terms).unwrap();
    let faults = terms.faults();
    faults
        .into_iter()
        .map(|fault| format!("{} {}", fault.field, fault.code))
        .collect()
}

#[test]
fn a_plan_without_limits_must_be_declared_unlimited() {
    assert_eq!(codes("{}"), ["/limits plan.no_limits"]);
    assert_eq!(codes(r#"{"unlimited":true}"#), [""; 0]);
}

#[test]
fn every_fault_of_a_limit_is_reported_with_its_place() {
    let terms = r#"{"limits":[
        {"per":"subscription","amount":0,"window":"day"},
        {"per":"api","amount":5,"window":"second","algorithm":{"type":"gcra","burst":0}},
        {"per":"api","amount":5,"window":"hour","algorithm":{"type":"fixed","zone":"Europe/Rome"}},
        {"per":"api","amount":5,"window":"day","algorithm":{"type":"fixed","zone":"Mars/Base"}},
        {"per":"subscription","amount":9,"window":"1 day"},
        {"per":"api","amount":0,"window":"1001 days"},
        {"per":"api","amount":9,"window":"fortnight","algorithm":{"type":"fixed","zone":"UTC"}},
        {"per":"api","amount":9,"window":"05 minutes","algorithm":{"type":"gcra","burst":0}},
        {"per":"api","amount":9,"window":"month",
            "algorithm":{"type":"fixed","zone":"Mars/Base","anchor":"2026-02-30"}},
        {"per":"api","amount":9,"window":"5 minutes",
            "algorithm":{"type":"fixed","zone":"UTC","anchor":"2026-02-28"}},
        {"per":"api","amount":9,"window":"2 weeks",
            "algorithm":{"type":"fixed","anchor":"2026-02-28T00:00"}}]}"#;
    assert_eq!(
        codes(terms),
        [
            "/limits/0/amount limit.amount",
            "/limits/1/algorithm/burst limit.burst",
            "/limits/2/algorithm/zone limit.zone_unused",
            "/limits/3/algorithm/zone limit.zone_unknown",
            "/limits/4 limit.repeated",
            "/limits/5/amount limit.amount",
            "/limits/5/window limit.window",
            "/limits/6/window limit.window",
            "/limits/7/window limit.window",
            "/limits/7/algorithm/burst limit.burst",
            "/limits/8/algorithm/zone limit.zone_unknown",
            "/limits/8/algorithm/anchor limit.anchor",
            "/limits/9/algorithm/zone limit.zone_unused",
            "/limits/9/algorithm/anchor limit.anchor",
            "/limits/10/algorithm/anchor limit.anchor",
        ]
    );
}

#[test]
fn the_reference_has_each_field_with_its_default() {
    let page = include_str!("../../../../docs/reference/limits.md");
    let limit = serde_json::json!({
        "name": "a", "metric": "units", "per": "api", "amount": 5, "window": "day",
        "soft": {"overage_percent": 5}, "on_exceeding": "observe",
        "if": {"environment": ["sandbox"]}, "otherwise": true, "plans": ["gold"],
    });
    let whole: Limit = serde_json::from_value(limit).unwrap();
    let default: Limit = serde_json::from_str(r#"{"amount":5}"#).unwrap();
    for (name, value) in serde_json::to_value(whole).unwrap().as_object().unwrap() {
        let row = page
            .lines()
            .find(|it| it.starts_with(&format!("| `{name}` |")));
        let cells: Vec<_> = row.expect(name).split(" | ").collect();
        let expected = match &**name {
            "amount" => "required".to_owned(),
            "algorithm" => format!("`{}`", serde_json::to_string(&default.algorithm).unwrap()),
            "metric" => format!("`\"{}\"`", default.metric.word()),
            "on_exceeding" => {
                format!(
                    "`{}`",
                    serde_json::to_string(&default.on_exceeding).unwrap()
                )
            }
            "otherwise" => format!("`{}`", default.otherwise),
            _ => "absent".to_owned(),
        };
        assert_eq!(cells[2], expected, "{name}: {value}");
    }
}

#[test]
fn the_reference_has_each_fault() {
    let page = include_str!("../../../../docs/reference/limits.md");
    let sources = [
        include_str!("faults.rs"),
        include_str!("faults/condition.rs"),
        include_str!("faults/counting.rs"),
    ];
    let quoted = sources.iter().flat_map(|it| it.split('"'));
    let known: BTreeSet<_> = quoted.filter(|it| it.starts_with("limit.")).collect();
    let rows = page.lines().filter_map(|it| it.strip_prefix("| `"));
    let codes = rows.filter_map(|it| it.split_once('`'));
    let listed = codes
        .map(|(code, _)| code)
        .filter(|it| it.starts_with("limit."));
    assert_eq!(listed.collect::<BTreeSet<_>>(), known);
}
