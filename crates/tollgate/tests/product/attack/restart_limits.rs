//! Number 9: counters of limits survive a restart. A clean stop keeps every counter, a kill loses
//! at most 5 s of those of an hour and longer.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Connection, Tollgate};

use crate::house::{House, builder, get};

/// Attempts until a round does not cross the end of a minute or an hour.
const ROUNDS: usize = 5;

/// Creates a key under each of these plans.
struct Keys {
    house: House,
    keys: Vec<String>,
}

impl Keys {
    async fn under(plans: &[(&str, Value)]) -> Self {
        let house = House::with(&builder(), json!([])).await;
        let mut names = vec!["tested"];
        for (name, limit) in plans {
            house.admin.plan(name, json!([limit])).await.unwrap();
            names.push(name);
        }
        let version = &house.api.version;
        house.admin.attach(version, &names).await.unwrap();
        let mut keys = Vec::new();
        for (name, _) in plans {
            let consumer = house.admin.consumer(name, version, name).await.unwrap();
            keys.push(consumer.key);
        }
        Self { house, keys }
    }
}

/// Calls this number of times with a key; returns the remaining amount of the last response.
async fn call(tollgate: &Tollgate, key: &str, times: u64) -> u64 {
    let mut connection = Connection::open(tollgate.gateway).await.unwrap();
    let mut left = 0;
    for _ in 0..times {
        let answer = connection.exchange(&get("/pets/1.0/pets", key)).await;
        let answer = answer.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        let header = answer.field("ratelimit").unwrap().to_owned();
        let rest = header.split("r=").nth(1).unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        left = digits.parse().unwrap();
    }
    left
}

/// Returns the time since 1970 in these units.
fn clock(unit: Duration) -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs() / unit.as_secs()
}

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

fn limit(amount: u64, window: &str, burst: Option<u64>) -> Value {
    let limit = json!({ "per": "subscription", "amount": amount, "window": window });
    match burst {
        None => limit,
        Some(burst) => {
            let mut limit = limit;
            limit["algorithm"] = json!({ "type": "gcra", "burst": burst });
            limit
        }
    }
}

#[tokio::test]
async fn a_clean_restart_keeps_every_counter_exactly() {
    let plans = [
        ("hour", limit(1_000, "hour", None)),
        ("minute", limit(500, "minute", None)),
        // One per hour and one per minute are replenished: none during this test.
        ("slow", limit(1, "hour", Some(50))),
        ("slowish", limit(1, "minute", Some(50))),
    ];
    let Keys { house, keys } = Keys::under(&plans).await;
    let mut tollgate = house.tollgate;
    for round in 1..=ROUNDS {
        let begun = (clock(MINUTE), clock(HOUR), Instant::now());
        let mut before = Vec::new();
        for (key, times) in keys.iter().zip([300, 100, 10, 8]) {
            before.push(call(&tollgate, key, times).await);
        }
        let (status, builder) = tollgate.terminate().unwrap();
        assert!(status.success());
        tollgate = builder.start().unwrap();
        let mut after = Vec::new();
        for key in &keys {
            after.push(call(&tollgate, key, 1).await);
        }
        let is_one_window = (clock(MINUTE), clock(HOUR)) == (begun.0, begun.1);
        if !is_one_window || begun.2.elapsed() > MINUTE / 2 {
            assert!(round < ROUNDS, "no round stays within a minute");
            continue;
        }
        let expected: Vec<_> = before.iter().map(|left| left - 1).collect();
        assert_eq!(after, expected);
        if round == 1 {
            assert_eq!(before[..2], [700, 400]);
        }
        return;
    }
}

#[tokio::test]
async fn a_kill_takes_at_most_five_seconds_of_an_hour() {
    let plans = [
        ("hour", limit(1_000, "hour", None)),
        ("slow", limit(1, "hour", Some(50))),
    ];
    let Keys { house, keys } = Keys::under(&plans).await;
    let mut tollgate = house.tollgate;
    for round in 1..=ROUNDS {
        let begun = clock(HOUR);
        let old = [
            call(&tollgate, &keys[0], 100).await,
            call(&tollgate, &keys[1], 5).await,
        ];
        tokio::time::sleep(Duration::from_secs(5)).await;
        let young = [
            call(&tollgate, &keys[0], 20).await,
            call(&tollgate, &keys[1], 3).await,
        ];
        tollgate = tollgate.kill().unwrap().start().unwrap();
        let found = [
            call(&tollgate, &keys[0], 1).await + 1,
            call(&tollgate, &keys[1], 1).await + 1,
        ];
        if clock(HOUR) != begun {
            assert!(round < ROUNDS, "no round stays within an hour");
            continue;
        }
        for ((old, young), found) in old.into_iter().zip(young).zip(found) {
            assert!(
                (young..=old).contains(&found),
                "{young} <= {found} <= {old}"
            );
        }
        return;
    }
}
