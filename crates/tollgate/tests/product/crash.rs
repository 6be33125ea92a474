//! The main job, step 7: kill -9 loses nothing that was acknowledged, and of figures at most
//! five seconds, which it states.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tollgate_testkit::{Control, Load};

use crate::house::{House, alone, builder};

const KILLS: u64 = 50;
/// What a kill may cost of usage and quotas.
const LOSS: Duration = Duration::from_secs(5);

/// Something that the control plane acknowledged, and where it can be read.
struct Written {
    path: String,
    name: String,
}

/// A small generator of moments (xorshift), from a seed that a failing test prints.
struct Moments(u64);

impl Moments {
    fn within(&mut self, most: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let most = u64::try_from(most.as_micros()).unwrap();
        Duration::from_micros(self.0 % most)
    }
}

/// Makes applications and APIs until the process is gone; what was acknowledged.
async fn write(admin: Control, names: Arc<AtomicU64>) -> Vec<Written> {
    let mut written = Vec::new();
    loop {
        let name = format!("n{}", names.fetch_add(1, Ordering::Relaxed));
        let body = json!({ "name": name });
        let made = admin
            .send("POST", "/api/v1/applications", Some(&body))
            .await;
        let Ok(application) = made else { break };
        assert_eq!(application.status, 201, "{}", application.text());
        let id = application.json()["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/applications/{id}");
        written.push(Written {
            path,
            name: name.clone(),
        });

        let body = json!({ "name": name, "context": format!("/{name}"), "version": "1" });
        let made = admin.send("POST", "/api/v1/apis", Some(&body)).await;
        let Ok(api) = made else { break };
        assert_eq!(api.status, 201, "{}", api.text());
        let id = api.json()["version"]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/versions/{id}");
        written.push(Written {
            path,
            name: "1".to_owned(),
        });
    }
    written
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_kills_during_writes_lose_no_acknowledged_write_and_leave_none_half() {
    let _machine = alone().await;
    let seed = Instant::now().elapsed().as_nanos() as u64 ^ u64::from(std::process::id()) << 20 | 1;
    println!("seed {seed}");
    let mut moments = Moments(seed);
    let mut tollgate = builder().start().unwrap();
    let first = Control::administrator(&tollgate).await.unwrap();
    let names = Arc::new(AtomicU64::new(0));
    let mut written = Vec::new();
    for _ in 0..KILLS {
        let admin = first.at(tollgate.control);
        let mut writers = JoinSet::new();
        for _ in 0..3 {
            writers.spawn(write(admin.clone(), Arc::clone(&names)));
        }
        tokio::time::sleep(moments.within(Duration::from_millis(250))).await;
        let builder = tollgate.kill().unwrap();
        let acknowledged = writers.join_all().await.into_iter().flatten();
        tollgate = builder.start().unwrap();
        let admin = first.at(tollgate.control);
        for Written { path, name } in acknowledged {
            let read = admin.send("GET", &path, None).await.unwrap();
            assert_eq!(
                (read.status, read.json()["name"].as_str()),
                (200, Some(&*name))
            );
            written.push(path);
        }
    }
    let admin = first.at(tollgate.control);
    for path in &written {
        assert_eq!(admin.send("GET", path, None).await.unwrap().status, 200);
    }
    assert!(written.len() > 100, "only {} writes", written.len());
    assert_none_half(&admin).await;
}

/// An API is made with its version in one step: each that is there has one.
async fn assert_none_half(admin: &Control) {
    let mut after = String::new();
    loop {
        let path = format!("/api/v1/apis?limit=500{after}");
        let page = admin.done("GET", &path, None).await.unwrap();
        let apis = page["items"].as_array().unwrap().clone();
        for api in &apis {
            let path = format!("/api/v1/apis/{}/versions", api["id"].as_str().unwrap());
            let versions = admin.done("GET", &path, None).await.unwrap();
            assert_eq!(versions["items"].as_array().unwrap().len(), 1);
        }
        match apis.last() {
            Some(api) => after = format!("&after={}", api["id"].as_str().unwrap()),
            None => return,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_costs_usage_and_day_quotas_at_most_five_seconds_and_says_so() {
    let _machine = alone().await;
    let limits = json!([{ "per": "subscription", "amount": 1_000_000, "window": "day" }]);
    let house = House::with(&builder(), limits).await;
    let request = house.request();
    let mut load = Load::of(house.tollgate.gateway, request.clone());
    load.per_second = 500;
    let running = load.start().unwrap();
    tokio::time::sleep(Duration::from_secs(8)).await;
    let killed = Instant::now();
    let builder = house.tollgate.kill().unwrap();
    let tally = running.finish().unwrap();
    let admitted = tally.count("200");
    let answered = tally
        .calls
        .iter()
        .filter(|call| tally.labels[call.label] == "200");
    let old = answered.filter(|call| call.ended < killed - LOSS).count() as u64;
    assert!(old > 500, "{old} calls are older than the allowed loss");

    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    let counted = usage["rows"][0]["calls"].as_u64().unwrap();
    assert!(
        (old..=admitted).contains(&counted),
        "{old} <= {counted} <= {admitted}"
    );
    let losses = usage["losses"].as_array().unwrap();
    assert_eq!(losses.len(), 1, "{usage}");
    assert_eq!(losses[0]["reason"], "unclean_stop");

    let answer = tollgate_testkit::http::call(tollgate.gateway, &request)
        .await
        .unwrap();
    let header = answer.field("ratelimit").unwrap();
    let rest = header.split("r=").nth(1).unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let used = 1_000_000 - digits.parse::<u64>().unwrap() - 1;
    assert!(
        (old..=admitted).contains(&used),
        "{old} <= {used} <= {admitted}"
    );
}
