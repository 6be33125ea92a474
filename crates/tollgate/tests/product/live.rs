//! Calls as they happen: `GET /usage/calls` as a stream of events.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Control, Events, Load, Tollgate, http};

use crate::house::{House, get, user};

const PATH: &str = "/api/v1/usage/calls";
/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

async fn next(events: &mut Events) -> Option<(String, Value)> {
    let event = tokio::time::timeout(PATIENCE, events.next()).await;
    let event = event.expect("an event").unwrap()?;
    Some((event.name, event.data))
}

/// The items of the next event with calls.
async fn calls(events: &mut Events) -> Vec<Value> {
    let (name, data) = next(events).await.expect("an event");
    assert_eq!(name, "calls", "{data}");
    data["items"].as_array().unwrap().clone()
}

/// The last event of a stream.
async fn end(events: &mut Events) -> Value {
    loop {
        let (name, data) = next(events).await.expect("an event");
        if name == "end" {
            assert_eq!(next(events).await, None, "nothing follows");
            return data;
        }
    }
}

#[tokio::test]
async fn a_call_is_seen_soon_with_what_the_caller_may_see_of_it() {
    let house = House::new().await;
    let (admin, tollgate) = (&house.admin, &house.tollgate);
    let dev = user(admin, tollgate, ("dev", &["developer"])).await;
    let consumer = dev
        .consumer("till", &house.api.version, "tested")
        .await
        .unwrap();
    let mut all = admin.watch(PATH).await.unwrap();
    assert!(
        all.head.contains("content-type: text/event-stream\r\n"),
        "{}",
        all.head
    );
    let mut own = dev.watch(PATH).await.unwrap();
    let refused = format!("{PATH}?refused=true&version={}", house.api.version);
    let mut refused = admin.watch(&refused).await.unwrap();
    // Not the developer's.
    let begun = Instant::now();
    assert_eq!(house.call().await.status, 200);
    let [call] = calls(&mut all).await.try_into().unwrap();
    println!("seen after {:?}", begun.elapsed());
    assert_eq!(call["application"]["name"], "shop");
    assert_eq!(call["operation"]["name"], "GET /pets");
    assert_eq!(call["network"], "127.0.0.0");
    let wrong = get("/pets/1.0/none", &house.consumer.key);
    http::call(tollgate.gateway, &wrong).await.unwrap();
    let [call] = calls(&mut refused).await.try_into().unwrap();
    assert_eq!(call["refusal"], "route.no_operation");
    let request = get("/pets/1.0/pets", &consumer.key);
    let answer = http::call(tollgate.gateway, &request).await.unwrap();
    let [call] = calls(&mut own).await.try_into().unwrap();
    assert_eq!(call["request_id"], answer.field("x-request-id").unwrap());
    assert_eq!((call.get("network"), call.get("upstream")), (None, None));
}

#[tokio::test]
async fn of_many_calls_few_are_sent_and_all_are_counted() {
    let house = House::new().await;
    let mut events = house.admin.watch(PATH).await.unwrap();
    let begun = Instant::now();
    for _ in 0..300 {
        assert_eq!(house.call().await.status, 200);
    }
    let (mut seen, mut surplus) = (0, 0);
    while seen + surplus < 300 {
        let (_, data) = next(&mut events).await.unwrap();
        seen += data["items"].as_array().unwrap().len() as u64;
        surplus += data["surplus"].as_u64().unwrap();
    }
    assert_eq!(seen + surplus, 300);
    // Seconds begin with a call, and the first one may have begun before.
    let seconds = begun.elapsed().as_secs() + 2;
    assert!(seen <= 50 * seconds, "{seen} in {seconds} s");
}

#[tokio::test]
async fn a_stream_ends_with_the_session_or_the_role_and_with_the_process() {
    let house = House::new().await;
    let (admin, tollgate) = (&house.admin, &house.tollgate);
    let one = user(admin, tollgate, ("one", &["developer"])).await;
    let two = user(admin, tollgate, ("two", &["developer", "publisher"])).await;
    let mut of_one = one.watch(PATH).await.unwrap();
    let mut of_two = two.watch(PATH).await.unwrap();
    let mut of_admin = admin.watch(PATH).await.unwrap();
    one.done("DELETE", "/api/v1/session", None).await.unwrap();
    assert_eq!(end(&mut of_one).await["code"], "session.invalid");
    let found = admin
        .done("GET", "/api/v1/users?q=two", None)
        .await
        .unwrap();
    let path = format!(
        "/api/v1/users/{}",
        found["items"][0]["id"].as_str().unwrap()
    );
    let change = json!({ "roles": ["developer"] });
    admin.done("PATCH", &path, Some(&change)).await.unwrap();
    let ended = end(&mut of_two).await;
    assert!(
        ended["code"] == "role.missing" || ended["code"] == "session.invalid",
        "{ended}"
    );
    // A watcher that does not read delays neither calls nor the end of the process.
    let _stuck = admin.watch(PATH).await.unwrap();
    for _ in 0..200 {
        assert_eq!(house.call().await.status, 200);
    }
    let (status, _) = house.tollgate.terminate().unwrap();
    assert!(status.success());
    while next(&mut of_admin).await.is_some() {}
}

#[tokio::test]
async fn watchers_are_few_and_ask_for_no_pages() {
    let house = House::new().await;
    let admin = &house.admin;
    let other = user(admin, &house.tollgate, ("other", &["developer"])).await;
    let mut watchers = Vec::new();
    for by in [&other, admin] {
        for _ in 0..10 {
            watchers.push(by.watch(PATH).await.unwrap());
        }
    }
    let refused = admin.watch(PATH).await.unwrap();
    assert!(
        refused.head.starts_with("HTTP/1.1 429 "),
        "{}",
        refused.head
    );
    watchers.pop();
    let begun = Instant::now();
    while !admin
        .watch(PATH)
        .await
        .unwrap()
        .head
        .starts_with("HTTP/1.1 200 ")
    {
        assert!(begun.elapsed() < PATIENCE);
    }
    for (query, status) in [
        ("limit=1", 400),
        ("from=2026-01-01T00:00:00Z", 400),
        ("after=x", 400),
        ("frob=1", 400),
        ("application=app_0", 400),
    ] {
        let answer = admin.watch(&format!("{PATH}?{query}")).await.unwrap();
        assert!(
            answer.head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{query}"
        );
    }
    let stranger = Control::stranger(house.tollgate.control);
    let answer = stranger.watch(PATH).await.unwrap();
    assert!(answer.head.starts_with("HTTP/1.1 401 "), "{}", answer.head);
}

/// CPU time of a process by its threads, microseconds: of the gateway's workers, and of the rest.
fn cpu_us(tollgate: &Tollgate) -> [u64; 2] {
    const TICK_US: u64 = 10_000;
    let mut sums = [0, 0];
    let tasks = std::fs::read_dir(format!("/proc/{}/task", tollgate.pid())).unwrap();
    for task in tasks {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        let Some((name, fields)) = stat.rsplit_once(')') else {
            continue;
        };
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: u64 = ticks.map(|it| it.parse::<u64>().unwrap()).sum();
        sums[usize::from(!name.contains("worker"))] += ticks * TICK_US;
    }
    sums
}

/// Prints what 20 watchers cost at 2,000 calls a second; `bench/README.md` has the command.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures"]
async fn figures() {
    const EACH: Duration = Duration::from_secs(10);
    let program = std::env::var("TOLLGATE_BINARY");
    let program = program.unwrap_or_else(|_| env!("CARGO_BIN_EXE_tollgate").to_owned());
    let builder = tollgate_testkit::settled::builder(&program).unwrap();
    let house = House::with(&builder, json!([])).await;
    let other = user(&house.admin, &house.tollgate, ("other", &["administrator"])).await;
    let running = Load::of(house.tollgate.gateway, house.request())
        .start()
        .unwrap();
    running.calls(2_000).await;
    let mut sums = [[0; 3]; 2];
    for turn in 0..8 {
        let is_watched = turn % 2 == 1;
        let mut watching = tokio::task::JoinSet::new();
        if is_watched {
            for by in [&house.admin, &other].into_iter().cycle().take(20) {
                let mut events = by.watch(PATH).await.unwrap();
                watching.spawn(async move { while events.next().await.unwrap().is_some() {} });
            }
        }
        let (before, begun, calls) = (cpu_us(&house.tollgate), Instant::now(), running.ended());
        tokio::time::sleep(EACH).await;
        let after = cpu_us(&house.tollgate);
        let sum = &mut sums[usize::from(is_watched)];
        let rest_us = (after[1] - before[1]) as f64 / begun.elapsed().as_secs_f64();
        sum[0] += after[0] - before[0];
        sum[1] += running.ended() - calls;
        sum[2] += rest_us as u64 / 4;
    }
    for (name, [us, calls, rest_us]) in ["nobody", "20 watchers"].iter().zip(sums) {
        let call_us = us as f64 / calls as f64;
        println!("{name}: {call_us:.2} µs a call in workers, {rest_us} µs a second in the rest");
    }
}
