//! `GET /usage/quotas`: what the gateway counts of each limit, and who sees it.

use serde_json::{Value, json};
use tollgate_testkit::{Control, http};

use crate::house::{House, builder, get, user};

const HOUR_US: i64 = 3_600_000_000;

/// The limits of an application or a version, by what they belong to and their index.
struct Quotas(Vec<Value>);

impl Quotas {
    async fn read(by: &Control, query: &str) -> Self {
        let path = format!("/api/v1/usage/quotas?{query}");
        let answer = by.done("GET", &path, None).await.unwrap();
        Self(answer["items"].as_array().unwrap().clone())
    }

    fn of(&self, owner: &str, index: u64) -> &Value {
        let is_it = |it: &&Value| it["of"] == owner && it["index"] == index;
        let found = self.0.iter().find(is_it);
        found.unwrap_or_else(|| panic!("{owner} {index}: {:?}", self.0))
    }

    fn owners(&self) -> Vec<&str> {
        let owners = self.0.iter().map(|it| it["of"].as_str().unwrap());
        owners.collect()
    }
}

/// Amount, use and rest.
fn numbers(quota: &Value) -> [u64; 3] {
    ["amount", "used", "left"].map(|name| quota[name].as_u64().unwrap())
}

fn daily(per: &str, amount: u64) -> Value {
    json!({ "per": per, "amount": amount, "window": "day" })
}

/// A plan whose limits count in each way; the application, the version, an operation and the
/// upstream have limits of their own.
async fn house() -> House {
    let limits = json!([
        daily("subscription", 10),
        { "per": "subscription", "amount": 60, "window": "hour",
            "algorithm": { "type": "gcra", "burst": 5 } },
        { "per": "subscription", "amount": 20, "window": "hour",
            "algorithm": { "type": "rolling" } },
        { "per": "subscription", "metric": "concurrent", "amount": 3 },
        { "per": "subscription", "metric": "bytes_out", "amount": 1_000, "window": "day" },
        daily("user", 100),
        daily("application", 70),
    ]);
    let house = House::with(&builder(), limits).await;
    let path = format!("/api/v1/applications/{}", house.consumer.application);
    let own = json!({ "limits": [daily("application", 50)] });
    house.admin.done("PATCH", &path, Some(&own)).await.unwrap();
    let draft = json!({
        "limits": [daily("api", 40)],
        "operations": [
            { "method": "GET", "path": "/pets", "limits": [daily("operation", 30)] },
        ],
        "upstream": { "limits": [{ "amount": 25, "window": "day" }] },
    });
    house.redeploy(draft).await;
    house
}

#[tokio::test]
async fn what_is_left_of_each_limit_is_what_the_gateway_counts() {
    let house = house().await;
    for _ in 0..3 {
        assert_eq!(house.call().await.status, 200);
    }
    let application = format!("application={}", house.consumer.application);
    let quotas = Quotas::read(&house.admin, &application).await;
    let day = quotas.of("plan", 0);
    assert_eq!(numbers(day), [10, 3, 7]);
    assert_eq!(day["name"], "subscription-day");
    assert_eq!(day["limit"]["per"], "subscription");
    assert_eq!(day["version"]["name"], "1.0");
    assert_eq!(day["api"]["name"], "Pets");
    assert_eq!(day["plan"]["name"], "tested");
    let instant = |it: &Value| it.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let resets_us = instant(&day["resets_at"]).as_microsecond();
    assert_eq!(resets_us % (24 * HOUR_US), 0, "midnight in UTC: {day}");
    let [amount, used, left] = numbers(quotas.of("plan", 1));
    assert!(
        amount == 5 && used + left == 5 && used <= 3,
        "a minute earns one back"
    );
    assert_eq!(numbers(quotas.of("plan", 2)), [20, 3, 17]);
    let concurrent = quotas.of("plan", 3);
    assert_eq!(numbers(concurrent), [3, 0, 3]);
    assert_eq!(concurrent.get("resets_at"), None);
    assert_eq!(numbers(quotas.of("plan", 4)), [1_000, 15, 985]);
    let users = quotas.of("plan", 5);
    assert_eq!((&users["counters"], users.get("used")), (&json!(1), None));
    let own = quotas.of("application", 0);
    assert_eq!((numbers(own), own.get("version")), ([50, 3, 47], None));

    let version = format!("version={}", house.api.version);
    let quotas = Quotas::read(&house.admin, &version).await;
    assert_eq!(numbers(quotas.of("version", 0)), [40, 3, 37]);
    let operation = quotas.of("operation", 0);
    assert_eq!(numbers(operation), [30, 3, 27]);
    assert_eq!(operation["operation"]["name"], "GET /pets");
    let upstream = quotas.of("upstream", 0);
    assert_eq!(numbers(upstream), [25, 3, 22]);
    assert_eq!(upstream["environment"], "production");

    // A lower amount keeps what was used, and so does a restart.
    let lowered = json!({ "name": "tested", "limits": [daily("subscription", 2)] });
    let changed = house.admin.replace("/api/v1/plans/tested", &lowered);
    changed.await.unwrap();
    let House {
        tollgate, admin, ..
    } = house;
    let (_, builder) = tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    let admin = admin.at(tollgate.control);
    let quotas = Quotas::read(&admin, &application).await;
    assert_eq!(numbers(quotas.of("plan", 0)), [2, 3, 0]);
    assert_eq!(quotas.owners(), ["plan", "application"]);
}

#[tokio::test]
async fn owners_of_applications_and_of_apis_see_their_side_and_others_nothing() {
    let house = house().await;
    let tollgate = &house.tollgate;
    let admin = &house.admin;
    let dev = user(admin, tollgate, ("dev", &["developer"])).await;
    let stranger = user(admin, tollgate, ("eve", &["developer", "publisher"])).await;
    let owner = user(admin, tollgate, ("pub", &["publisher"])).await;
    let consumer = dev
        .consumer("till", &house.api.version, "tested")
        .await
        .unwrap();
    let api = format!("/api/v1/apis/{}", house.api.api);
    let path = "/api/v1/users?q=pub";
    let found = admin.done("GET", path, None).await.unwrap();
    let id = found["items"][0]["id"].as_str().unwrap();
    admin
        .done("PATCH", &api, Some(&json!({ "owner": id })))
        .await
        .unwrap();
    let called = http::call(tollgate.gateway, &get("/pets/1.0/pets", &consumer.key)).await;
    assert_eq!(called.unwrap().status, 200);

    let application = format!("application={}", consumer.application);
    let version = format!("version={}", house.api.version);
    let own = Quotas::read(&dev, &application).await;
    assert_eq!(numbers(own.of("plan", 0)), [10, 1, 9]);
    assert_eq!(own.owners(), ["plan"; 7]);
    assert_eq!(
        own.of("plan", 5).get("counters"),
        None,
        "others have some of them"
    );
    // The publisher sees what is used by the subscription, not by the application elsewhere.
    let limits = json!({ "limits": [daily("application", 9)] });
    let path = format!("/api/v1/applications/{}", consumer.application);
    admin.done("PATCH", &path, Some(&limits)).await.unwrap();
    let both = format!("{application}&{version}");
    for query in [&application, &both] {
        let seen = Quotas::read(&owner, query).await;
        assert_eq!(seen.owners(), ["plan"; 5]);
        assert!(seen.0.iter().all(|it| it["limit"]["per"] == "subscription"));
    }
    assert_eq!(Quotas::read(&dev, &both).await.owners(), ["plan"; 7]);
    let of_version = Quotas::read(&owner, &version).await;
    assert_eq!(of_version.owners(), ["version", "operation", "upstream"]);

    let refused = async |by: &Control, query: &str| {
        let path = format!("/api/v1/usage/quotas?{query}");
        let answer = by.send("GET", &path, None).await.unwrap();
        (
            answer.status,
            answer.json()["code"].as_str().unwrap().to_owned(),
        )
    };
    for (by, query, expected) in [
        (
            &stranger,
            application.as_str(),
            (404, "application.unknown"),
        ),
        (&stranger, &version, (403, "api.not_owner")),
        (&dev, &version, (403, "api.not_owner")),
        (
            &dev,
            &format!("{application}&version=ver_00000000001"),
            (404, "subscription.unknown"),
        ),
        (&dev, "", (400, "query.invalid")),
        (&dev, "application=app_1", (400, "query.invalid")),
        (
            &dev,
            "application=ver_00000000000000000000000001",
            (400, "query.invalid"),
        ),
        (&dev, "frob=1", (400, "query.invalid")),
        (
            &dev,
            &format!("{application}&{application}"),
            (400, "query.invalid"),
        ),
    ] {
        let (status, code) = refused(by, query).await;
        assert_eq!((status, code.as_str()), expected, "{query}");
    }
    let nobody = Control::stranger(tollgate.control);
    assert_eq!(refused(&nobody, &application).await.0, 401);
    // What is gone has no limits.
    dev.done("DELETE", &path, None).await.unwrap();
    assert_eq!(
        refused(&dev, &application).await,
        (404, "application.unknown".to_owned())
    );
}
