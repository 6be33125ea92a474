use serde_json::{Value, json};

use super::*;

/// Returns the faults of a list of limits, each as field and code.
fn faults(limits: &Value, owner: Owner) -> Vec<String> {
    let limits: Vec<Limit> = serde_json::from_value(limits.clone()).unwrap();
    let faults = limit_faults(&limits, owner).into_iter();
    faults
        .map(|it| format!("{} {}", it.field, it.code))
        .collect()
}

/// A limit of a plan with other members.
fn with(members: Value) -> Value {
    let mut limit = json!({"per": "api", "amount": 9, "window": "day"});
    let Value::Object(members) = members else {
        panic!("an object");
    };
    for (name, value) in members {
        limit[name] = value;
    }
    limit
}

/// A limit of calls at the same time with other members.
fn places(members: Value) -> Value {
    let mut limit = with(members);
    limit["metric"] = json!("concurrent");
    if limit["window"] == "day" {
        limit.as_object_mut().unwrap().remove("window");
    }
    limit
}

#[test]
fn each_member_has_its_faults() {
    const MOST: u64 = AMOUNT_MAX;
    let name = "abcdefghijklmnopqrstuvwxyzABCD-_.";
    for (limit, fault) in [
        (with(json!({})), ""),
        (with(json!({"name": name[1..]})), ""),
        (with(json!({"name": name})), "/name limit.name"),
        (with(json!({"name": ""})), "/name limit.name"),
        (with(json!({"name": "a b"})), "/name limit.name"),
        (with(json!({"name": "é"})), "/name limit.name"),
        (json!({"amount": 9, "window": "day"}), "/per limit.per"),
        (with(json!({"per": "version"})), "/per limit.per"),
        (with(json!({"per": []})), "/per limit.per"),
        (with(json!({"per": ["api", "api"]})), "/per limit.per"),
        (
            with(json!({"per": ["api", "user", "address"]})),
            "/per limit.per",
        ),
        (with(json!({"per": ["user", "address"]})), ""),
        (with(json!({"amount": 0})), "/amount limit.amount"),
        (with(json!({"amount": MOST})), ""),
        (with(json!({"amount": MOST + 1})), "/amount limit.amount"),
        (with(json!({"metric": "bytes", "amount": MOST})), ""),
        (places(json!({})), ""),
        (places(json!({"amount": 1_000_000})), ""),
        (places(json!({"amount": 1_000_001})), "/amount limit.amount"),
        (json!({"per": "api", "amount": 9}), "/window limit.window"),
        (with(json!({"window": "fortnight"})), "/window limit.window"),
        (places(json!({"window": "minute"})), "/window limit.window"),
        (
            places(json!({"window": "fortnight"})),
            "/window limit.window",
        ),
        (with(json!({"algorithm": {"type": "rolling"}})), ""),
        (
            with(json!({"algorithm": {"type": "rolling"}, "window": "366 days"})),
            "",
        ),
        (
            with(json!({"algorithm": {"type": "rolling"}, "window": "367 days"})),
            "/window limit.window",
        ),
        (
            with(json!({"algorithm": {"type": "rolling"}, "metric": "units"})),
            "/algorithm limit.metric",
        ),
        (
            with(json!({"algorithm": {"type": "rolling"}, "metric": "bytes_in"})),
            "/algorithm limit.metric",
        ),
        (
            with(json!({"algorithm": {"type": "gcra", "burst": 5}, "metric": "bytes_out"})),
            "/algorithm limit.metric",
        ),
        (
            with(json!({"algorithm": {"type": "gcra", "burst": 5}, "metric": "units"})),
            "",
        ),
        (
            with(json!({"algorithm": {"type": "gcra", "burst": 1_000_001}})),
            "/algorithm/burst limit.burst",
        ),
        (places(json!({"algorithm": {"type": "fixed"}})), ""),
        (
            places(json!({"algorithm": {"type": "rolling"}})),
            "/algorithm limit.metric",
        ),
        (
            places(json!({"algorithm": {"type": "fixed", "zone": "UTC"}})),
            "/algorithm limit.metric",
        ),
        (with(json!({"soft": {"overage_percent": 1}})), ""),
        (
            with(json!({"soft": {"overage_percent": 1_000}, "metric": "bytes"})),
            "",
        ),
        (
            with(json!({"soft": {"overage_percent": 0}})),
            "/soft/overage_percent limit.soft",
        ),
        (
            with(json!({"soft": {"overage_percent": 1_001}})),
            "/soft/overage_percent limit.soft",
        ),
        (
            with(json!({"soft": {"overage_percent": 100}, "amount": MOST / 2})),
            "",
        ),
        (
            with(json!({"soft": {"overage_percent": 100}, "amount": MOST / 2 + 1})),
            "/soft limit.soft",
        ),
        (
            with(
                json!({"soft": {"overage_percent": 9}, "algorithm": {"type": "gcra", "burst": 5}}),
            ),
            "/soft limit.soft",
        ),
        (
            with(json!({"soft": {"overage_percent": 9}, "on_exceeding": "observe"})),
            "/soft limit.soft",
        ),
        (
            places(json!({"soft": {"overage_percent": 9}})),
            "/soft limit.soft",
        ),
        (places(json!({"on_exceeding": "observe"})), ""),
        (with(json!({"plans": ["gold"]})), "/plans limit.plans"),
    ] {
        let found = faults(&json!([limit]), Owner::Plan);
        let fault = (!fault.is_empty()).then(|| format!("/limits/0{fault}"));
        assert_eq!(found, Vec::from_iter(fault), "{limit}");
    }
}

#[test]
fn limits_of_each_owner_have_its_dimension() {
    let upstream = json!({"amount": 9, "window": "day"});
    let operation = |members| {
        let mut limit = with(members);
        limit["per"] = json!("operation");
        limit
    };
    let many: Vec<_> = (0..=PLANS_MAX).map(|it| it.to_string()).collect();
    for (owner, limit, fault) in [
        (Owner::Application, with(json!({})), "/per limit.per"),
        (
            Owner::Application,
            with(json!({"per": ["address", "application"]})),
            "",
        ),
        (Owner::Version, with(json!({})), ""),
        (
            Owner::Version,
            with(json!({"per": "operation"})),
            "/per limit.per",
        ),
        (Owner::Operation, with(json!({})), "/per limit.per"),
        (
            Owner::Operation,
            operation(json!({"plans": ["gold", "tin"]})),
            "",
        ),
        (
            Owner::Operation,
            operation(json!({"plans": []})),
            "/plans limit.plans",
        ),
        (
            Owner::Operation,
            operation(json!({"plans": ["a", "b", "a"]})),
            "/plans/2 limit.plans",
        ),
        (Owner::Operation, operation(json!({"plans": many[1..]})), ""),
        (
            Owner::Operation,
            operation(json!({"plans": many})),
            "/plans limit.plans",
        ),
        (
            Owner::Version,
            with(json!({"plans": ["gold"]})),
            "/plans limit.plans",
        ),
        (Owner::Upstream, upstream, ""),
        (
            Owner::Upstream,
            json!({"amount": 9, "metric": "concurrent"}),
            "",
        ),
        (
            Owner::Upstream,
            json!({"amount": 9, "window": "day", "metric": "units"}),
            "/metric limit.metric",
        ),
        (
            Owner::Upstream,
            json!({"amount": 9, "window": "day", "metric": "bytes"}),
            "/metric limit.metric",
        ),
        (Owner::Upstream, with(json!({})), "/per limit.per"),
    ] {
        let found = faults(&json!([limit]), owner);
        let fault = (!fault.is_empty()).then(|| format!("/limits/0{fault}"));
        assert_eq!(found, Vec::from_iter(fault), "{owner:?} {limit}");
    }
}

#[test]
fn a_list_has_a_maximum() {
    for (owner, per, most) in [
        (Owner::Plan, "api", 32),
        (Owner::Application, "application", 16),
        (Owner::Version, "api", 16),
        (Owner::Operation, "operation", 16),
    ] {
        let limit =
            |seconds| json!({"per": per, "amount": 9, "window": format!("{seconds} seconds")});
        let limits: Vec<_> = (2..).map(limit).take(most + 1).collect();
        assert_eq!(faults(&json!(limits[1..]), owner), [""; 0], "{owner:?}");
        assert_eq!(
            faults(&json!(limits), owner),
            ["/limits limit.too_many"],
            "{owner:?}"
        );
    }
}

#[test]
fn limits_of_a_list_count_different_things_under_different_names() {
    let gcra = json!({"type": "gcra", "burst": 5});
    let zone = |zone: &str| json!({"algorithm": {"type": "fixed", "zone": zone}});
    let from = |test: Value| json!({"if": {"addresses": test}});
    let named = |name: &str| json!({"name": name, "metric": "units"});
    for (other, fault) in [
        (json!({"amount": 10}), " limit.repeated"),
        (json!({"window": "1 day"}), " limit.repeated"),
        (json!({"per": ["api"], "name": "b"}), " limit.repeated"),
        (json!({"soft": {"overage_percent": 5}}), " limit.repeated"),
        (json!({"on_exceeding": "observe"}), " limit.repeated"),
        (zone("UTC"), " limit.repeated"),
        (zone("Europe/Rome"), ""),
        (
            json!({"algorithm": {"type": "fixed", "anchor": "2026-01-31"}}),
            "",
        ),
        (json!({"algorithm": gcra}), ""),
        (json!({"window": "2 days"}), ""),
        (json!({"metric": "units"}), ""),
        (json!({"per": ["api", "user"]}), ""),
        (from(json!(["192.0.2.7"])), ""),
        (named("a"), "/name limit.name"),
        (named("A"), ""),
        (json!({"window": "fortnight"}), "/window limit.window"),
    ] {
        let first = with(json!({"name": "a"}));
        let found = faults(&json!([first, with(other.clone())]), Owner::Plan);
        let fault = (!fault.is_empty()).then(|| format!("/limits/1{fault}"));
        assert_eq!(found, Vec::from_iter(fault), "{other}");
    }
    let same = [
        from(json!(["192.0.2.7", "2001:DB8::/32"])),
        from(json!(["2001:db8:0::/32", "192.0.2.7/32", "192.0.2.7"])),
    ];
    let found = faults(&json!(same.map(with)), Owner::Plan);
    assert_eq!(found, ["/limits/1 limit.repeated"]);
    let plans = [
        json!(["gold", "tin"]),
        json!(["tin"]),
        json!(["tin", "gold"]),
    ];
    let own = plans.map(|plans| with(json!({"per": "operation", "plans": plans})));
    assert_eq!(
        faults(&json!(own), Owner::Operation),
        ["/limits/2 limit.repeated"]
    );
}
