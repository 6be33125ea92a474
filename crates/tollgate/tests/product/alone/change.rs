//! The main job, steps 4 and 5: changes under load take effect at once and break nothing.

use std::time::{Duration, Instant};

use serde_json::json;
use tollgate_testkit::load::Tally;
use tollgate_testkit::{Answer, Behaviour, Load, Upstream, upstream};

use crate::house::{House, get};

/// Repetitions of each change that must take effect at once.
const REPEATS: usize = 50;
/// Time for which a change is observed before it is undone.
const WATCH: Duration = Duration::from_millis(25);

/// Returns a response that shows its completeness: the side's name in a header and all over the
/// body.
fn sided(side: &str) -> Behaviour {
    let body = side.repeat(500);
    Behaviour::Answer(upstream::answer(
        body.as_bytes(),
        &format!("X-Side: {side}\r\n"),
    ))
}

fn side(answer: &Answer) -> String {
    let side = answer.field("x-side").unwrap_or_default();
    let is_whole = answer.status == 200 && answer.text() == side.repeat(500);
    if is_whole {
        side.to_owned()
    } else {
        format!("{} {}", answer.status, answer.text())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_deploys_and_roll_backs_under_load_break_no_call() {
    let house = House::new().await;
    house.upstream.behave(sided("old"));
    let new = Upstream::start(sided("new")).unwrap();
    let version = &house.api.version;
    house.admin.upstream(version, &new.url()).await.unwrap();
    let revision = house.admin.revision(version).await.unwrap();
    assert_eq!(revision, 2);

    let mut load = Load::of(house.tollgate.gateway, house.request());
    load.label = Some(side);
    let running = load.start().unwrap();
    let mut deployed = Vec::new();
    for step in 0..20 {
        running.calls(1_000).await;
        let (number, side) = if step % 2 == 0 {
            (2, "new")
        } else {
            (1, "old")
        };
        let requested = Instant::now();
        house.admin.deploy(version, number).await.unwrap();
        deployed.push((requested, Instant::now(), side));
    }
    running.calls(1_000).await;
    let tally = running.finish().unwrap();

    let counts = tally.counts();
    assert!(
        counts.keys().all(|label| ["old", "new"].contains(label)),
        "{counts:?}"
    );
    for pair in deployed.windows(2) {
        let (from, to) = (pair[0].1, pair[1].0);
        let other = if pair[0].2 == "new" { "old" } else { "new" };
        assert_eq!(tally.within(from, to, other), 0);
        // At most the 100 calls on kept connections and a few others began before the deployment.
        assert!(tally.within(from, to, pair[0].2) > 500);
    }
}

/// Periods in which every call must be refused, and in which each must succeed.
#[derive(Default)]
struct Spans {
    refused: Vec<(Instant, Instant)>,
    served: Vec<(Instant, Instant)>,
}

impl Spans {
    fn check(&self, tally: &Tally, refusal: &str) {
        let known = ["200", refusal];
        let counts = tally.counts();
        assert!(
            counts.keys().all(|label| known.contains(label)),
            "{counts:?}"
        );
        let mut refused = 0;
        for &(from, to) in &self.refused {
            let late = tally.begun(from, to, "200");
            let of_span = tally.within(from, to, refusal);
            assert!(
                late.is_empty(),
                "after the answer {late:?}, besides {of_span} that were refused; {counts:?}"
            );
            refused += of_span;
        }
        for &(from, to) in &self.served {
            assert_eq!(tally.within(from, to, refusal), 0, "{counts:?}");
        }
        // About 50 calls start in each observed period.
        assert!(
            refused > 10 * REPEATS as u64,
            "{refused} calls were watched"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_subscription_was_blocked_succeeds() {
    let house = House::new().await;
    let path = format!("/api/v1/subscriptions/{}", house.consumer.subscription);
    let set = async |status: &str| {
        let change = json!({ "status": status });
        house
            .admin
            .done("PATCH", &path, Some(&change))
            .await
            .unwrap();
    };
    let running = Load::of(house.tollgate.gateway, house.request())
        .start()
        .unwrap();
    let spans = toggle(async || set("blocked").await, async || set("active").await).await;
    spans.check(&running.finish().unwrap(), "403");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_version_was_blocked_succeeds() {
    let house = House::new().await;
    let set = async |state: &str| {
        house
            .admin
            .lifecycle(&house.api.version, state)
            .await
            .unwrap();
    };
    let running = Load::of(house.tollgate.gateway, house.request())
        .start()
        .unwrap();
    let spans = toggle(
        async || set("blocked").await,
        async || set("published").await,
    )
    .await;
    spans.check(&running.finish().unwrap(), "503");
}

/// Applies and undoes a change repeatedly, and records the periods of both states.
async fn toggle(refuse: impl AsyncFn(), serve: impl AsyncFn()) -> Spans {
    let mut spans = Spans::default();
    tokio::time::sleep(WATCH).await;
    for _ in 0..REPEATS {
        refuse().await;
        let from = Instant::now();
        tokio::time::sleep(WATCH).await;
        spans.refused.push((from, Instant::now()));
        serve().await;
        let from = Instant::now();
        tokio::time::sleep(WATCH).await;
        spans.served.push((from, Instant::now()));
    }
    spans
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_key_was_revoked_succeeds() {
    let house = House::new().await;
    let admin = &house.admin;
    let running = Load::of(house.tollgate.gateway, house.request())
        .start()
        .unwrap();
    let mut spans = Spans::default();
    let mut id = house.consumer.key_id.clone();
    for _ in 0..REPEATS {
        tokio::time::sleep(WATCH).await;
        admin
            .done("DELETE", &format!("/api/v1/keys/{id}"), None)
            .await
            .unwrap();
        let from = Instant::now();
        tokio::time::sleep(WATCH).await;
        spans.refused.push((from, Instant::now()));
        let (next, key) = admin.key(&house.consumer.application).await.unwrap();
        running.aim(&get("/pets/1.0/pets", &key));
        let from = Instant::now();
        tokio::time::sleep(WATCH).await;
        spans.served.push((from, Instant::now()));
        id = next;
    }
    spans.check(&running.finish().unwrap(), "401");
}
