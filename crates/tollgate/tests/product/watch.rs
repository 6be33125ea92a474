//! Metrics: they are the calls that were made, as usage is, and a real Prometheus reads them.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::prometheus::{self, Prometheus, check_metrics};
use tollgate_testkit::{Behaviour, Builder, Connection, Load, http};

use crate::house::{House, builder, get};
use crate::start::{counted, logged, sentence};

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A builder with a listener of metrics.
fn watched() -> Builder {
    builder().set("watch-listen", "127.0.0.1:0")
}

/// The listener of metrics.
fn metrics_of(house: &House) -> SocketAddr {
    house.tollgate.metrics.unwrap()
}

async fn ask(address: SocketAddr, path: &str) -> (u16, String) {
    let request = http::request("GET", path, &[], b"");
    let answer = http::call(address, &request).await.unwrap();
    (answer.status, answer.text())
}

/// The sum of a family's samples with labels that contain this text.
fn sum(page: &str, family: &str, label: &str) -> f64 {
    let samples = page.lines().filter_map(|line| line.rsplit_once(' '));
    let of_family = samples.filter(|(name, _)| name.split('{').next() == Some(family));
    let fitting = of_family.filter(|(name, _)| name.contains(label));
    fitting
        .map(|(_, value)| value.parse::<f64>().unwrap())
        .sum()
}

/// The page, once the sum of its requests is this.
async fn page_with(address: SocketAddr, requests: u64) -> String {
    let begun = Instant::now();
    loop {
        let (status, page) = ask(address, "/metrics").await;
        assert_eq!(status, 200, "{page}");
        let sum = sum(&page, "tollgate_requests_total", "");
        #[expect(clippy::cast_precision_loss, reason = "few requests")]
        if sum == requests as f64 {
            return page;
        }
        assert!(begun.elapsed() < PATIENCE, "{sum} of {requests} requests");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Makes twelve calls that are recorded, seven of which succeed, and five that are not.
async fn make_calls(house: &House) {
    let gateway = house.tollgate.gateway;
    let call = async |request: &[u8]| http::call(gateway, request).await.unwrap().status;
    for _ in 0..7 {
        assert_eq!(call(&house.request()).await, 200);
    }
    for _ in 0..3 {
        assert_eq!(call(&get("/pets/1.0/pets", "tg_live_x")).await, 401);
    }
    assert_eq!(call(&get("/nothing", "")).await, 404);
    for _ in 0..2 {
        assert_eq!(call(&get("/up", "")).await, 200);
    }
    assert_eq!(call(&get("/.well-known/jwks.json", "")).await, 200);
    assert_eq!(call(b"NO REQUEST\r\n\r\n").await, 400);
    let mut no_tls = Connection::open(house.tollgate.https.gateway.unwrap())
        .await
        .unwrap();
    no_tls.send(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    house.upstream.behave(Behaviour::Hang);
    let mut leaving = Connection::open(gateway).await.unwrap();
    leaving.send(&house.request()).await.unwrap();
    while house.upstream.requests() < 8 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(leaving);
}

/// Asserts that each series is there once, and that the lines of a family follow one another.
fn assert_sound(page: &str) {
    let samples = page.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<_> = samples.map(|it| it.rsplit_once(' ').unwrap().0).collect();
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{page}");
    let family = |line: &str| {
        let name = line.split(['{', ' ']).next().unwrap().to_owned();
        let suffix = ["_bucket", "_sum", "_count"]
            .into_iter()
            .find_map(|it| name.strip_suffix(it));
        suffix.map_or(name.clone(), str::to_owned)
    };
    let mut families: Vec<_> = names.iter().map(|it| family(it)).collect();
    families.dedup();
    let different: HashSet<_> = families.iter().collect();
    assert_eq!(different.len(), families.len(), "{families:?}");
}

/// An address that nothing listens on.
fn free_address() -> String {
    let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    probe.local_addr().unwrap().to_string()
}

#[tokio::test]
async fn metrics_are_the_calls_that_were_made_and_prometheus_reads_them() {
    if !prometheus::is_here().unwrap() {
        return;
    }
    let builder = watched().set("gateway-health-path", "/up");
    let house = House::with(&builder.secured().unwrap(), json!([])).await;
    // Names are text, which Prometheus has to read back.
    let name = "Pets \"é\" \\ {x=\"1\"}";
    let path = format!("/api/v1/apis/{}", house.api.api);
    let renamed = json!({ "name": name });
    house
        .admin
        .done("PATCH", &path, Some(&renamed))
        .await
        .unwrap();

    make_calls(&house).await;
    let page = page_with(metrics_of(&house), 12).await;
    let usage = counted(&house.admin, 12).await;
    assert_eq!(usage["losses"], json!([]));
    for (family, label, expected) in [
        ("tollgate_requests_total", "class=\"2xx\"", 7.0),
        ("tollgate_requests_total", "class=\"4xx\"", 4.0),
        ("tollgate_requests_total", "class=\"left\"", 1.0),
        (
            "tollgate_requests_total",
            "{api=\"\",version=\"\",class=\"4xx\"}",
            1.0,
        ),
        ("tollgate_refusals_total", "authenticate.invalid", 3.0),
        ("tollgate_refusals_total", "", 4.0),
        ("tollgate_answers_total", "upstream", 7.0),
        ("tollgate_request_seconds_count", "", 12.0),
        ("tollgate_upstream_seconds_count", "", 8.0),
        ("tollgate_gateway_seconds_count", "", 8.0),
        ("tollgate_lost_details_total", "", 0.0),
    ] {
        let found = sum(&page, family, label);
        assert_eq!(found, expected, "{family} {label} in\n{page}");
    }
    for family in tollgate_watch::FAMILIES {
        let head = format!("# HELP {} ", family.name);
        assert!(page.contains(&head), "{} is missing", family.name);
    }
    assert_sound(&page);
    check_metrics(&page).unwrap();
    read_by_prometheus(&house, name).await;
}

/// Reads the metrics of the calls above with a real Prometheus.
async fn read_by_prometheus(house: &House, name: &str) {
    let prometheus = Prometheus::start(metrics_of(house)).unwrap();
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let of_api = format!("sum(tollgate_requests_total{{api=\"{quoted}\"}})");
    for (expression, expected) in [
        ("sum(tollgate_requests_total)", 12.0),
        (of_api.as_str(), 11.0),
        // Workers publish these once a second.
        ("tollgate_unrecorded_total{reason=\"malformed\"}", 1.0),
        ("tollgate_unrecorded_total{reason=\"health\"}", 2.0),
        ("tollgate_unrecorded_total{reason=\"keys\"}", 1.0),
        ("tollgate_unrecorded_total{reason=\"handshake\"}", 1.0),
        (
            "tollgate_snapshot_sequence == bool tollgate_feed_sequence",
            1.0,
        ),
        (
            "count(tollgate_certificate_expiry_timestamp_seconds > time())",
            2.0,
        ),
        ("sum(tollgate_store_writable)", 2.0),
        (
            "count(tollgate_control_requests_total{operation!=\"page\"}) > bool 3",
            1.0,
        ),
        ("abs(time() - process_start_time_seconds) < bool 300", 1.0),
    ] {
        let begun = Instant::now();
        loop {
            let found = prometheus.query(expression).await.unwrap();
            if found == Some(expected) {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "{expression}: {found:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    let status = house
        .admin
        .done("GET", "/api/v1/status", None)
        .await
        .unwrap();
    let watch = &status["watch"];
    assert_eq!(watch["address"], metrics_of(house).to_string());
    assert!(watch["last_scrape"].is_string(), "{watch}");
}

#[tokio::test]
async fn requests_that_found_a_full_ring_are_counted_and_histograms_lack_just_these() {
    let builder = watched().set("gateway-records-max", "64");
    let house = House::with(&builder, json!([])).await;
    let load = Load::of(house.tollgate.gateway, house.request());
    let running = load.start().unwrap();
    let begun = Instant::now();
    loop {
        let (_, page) = ask(metrics_of(&house), "/metrics").await;
        if sum(&page, "tollgate_lost_details_total", "ring_full") > 0.0 {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "no ring was full");
    }
    let made = running.finish().unwrap().calls.len() as u64;
    let page = page_with(metrics_of(&house), made).await;
    let of = |family| sum(&page, family, "");
    let detailed = of("tollgate_request_seconds_count");
    assert_eq!(
        detailed + of("tollgate_lost_details_total"),
        of("tollgate_requests_total")
    );
    assert_eq!(of("tollgate_answers_total"), detailed);
    counted(&house.admin, made).await;
}

#[tokio::test]
async fn readiness_is_that_of_the_process_and_nothing_else_is_there() {
    let house = House::with(&watched(), json!([])).await;
    let address = metrics_of(&house);
    assert_eq!(ask(address, "/healthz").await, (200, "ok\n".to_owned()));
    assert_eq!(ask(address, "/readyz").await, (200, "ok\n".to_owned()));
    assert_eq!(ask(address, "/api/v1/status").await.0, 404);
    house.tollgate.file_bytes_max(Some(1)).unwrap();
    let begun = Instant::now();
    while ask(address, "/readyz").await.0 != 503 {
        assert!(begun.elapsed() < PATIENCE, "it is still ready");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (_, page) = ask(address, "/metrics").await;
    assert_eq!(
        sum(&page, "tollgate_store_writable", "=\"tollgate\""),
        0.0,
        "{page}"
    );
    assert_eq!(ask(address, "/healthz").await.0, 200);
    house.tollgate.file_bytes_max(None).unwrap();

    // While calls in progress finish, it is alive but not ready.
    house.upstream.behave(Behaviour::Hang);
    let mut waiting = Connection::open(house.tollgate.gateway).await.unwrap();
    waiting.send(&house.request()).await.unwrap();
    while house.upstream.requests() < 1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    house.tollgate.signal().unwrap();
    logged(&house.tollgate, "stopping: exchanges in progress").await;
    let (status, reason) = ask(address, "/readyz").await;
    assert_eq!(
        (status, reason.as_str()),
        (503, "the process is stopping\n")
    );
    assert_eq!(ask(address, "/healthz").await.0, 200);
}

#[tokio::test]
async fn no_api_can_use_the_listener_as_its_back_end() {
    let house = House::new().await;
    let version = &house.api.version;
    // The address is free, and becomes the listener's at the next start.
    let free = free_address();
    let url = format!("http://{free}");
    house.admin.upstream(version, &url).await.unwrap();
    let revision = house.admin.revision(version).await.unwrap();
    house.admin.deploy(version, revision).await.unwrap();
    let (_, builder) = house.tollgate.terminate().unwrap();
    let tollgate = builder.set("watch-listen", &free).start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let refused = admin.upstream(version, &url).await.unwrap_err().to_string();
    assert!(refused.contains("upstream.forbidden"), "{refused}");
    let request = get("/pets/1.0/pets", &house.consumer.key);
    let answer = http::call(tollgate.gateway, &request).await.unwrap();
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (502, "upstream.forbidden")
    );
}

#[tokio::test]
async fn an_address_that_cannot_be_used_ends_the_start_and_an_open_one_is_warned_of() {
    let open = builder().set("watch-listen", "0.0.0.0:0").start().unwrap();
    logged(
        &open,
        "anyone who can connect to it can read the names of all APIs",
    )
    .await;
    let taken = open.gateway.to_string();
    let free = free_address();
    let everywhere = free.replace("127.0.0.1", "0.0.0.0");
    for (flags, address) in [
        (vec![("watch-listen", &taken)], &taken),
        (
            vec![("watch-listen", &free), ("control-listen", &free)],
            &free,
        ),
        (
            vec![("watch-listen", &free), ("gateway-listen", &free)],
            &free,
        ),
        (
            vec![("watch-listen", &everywhere), ("control-listen", &free)],
            &everywhere,
        ),
    ] {
        let second = flags
            .iter()
            .fold(builder(), |it, (flag, value)| it.set(flag, value));
        let message = sentence(&second.command(&["run"]).unwrap());
        let expected = format!("watch.listen: cannot listen on {address}");
        assert!(message.starts_with(&expected), "{flags:?}: {message}");
    }
    let wrong = builder().set("watch-listen", "9464");
    let message = sentence(&wrong.command(&["run"]).unwrap());
    assert!(message.starts_with("watch.listen is \"9464\""), "{message}");
}

/// The words of an expression that are names of families, without the suffixes of histograms.
fn families_of(expression: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words = expression.split(|character| !is_part(character));
    let names = words.filter(|it| it.starts_with("tollgate_") || it.starts_with("process_"));
    names
        .map(|it| it.strip_suffix("_bucket").unwrap_or(it))
        .collect()
}

#[test]
fn the_dashboard_and_the_alerts_name_families_that_exist() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    let dashboard = std::fs::read_to_string(deploy.join("grafana.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|it| it["targets"].as_array().unwrap());
    let queries: Vec<_> = targets.map(|it| it["expr"].as_str().unwrap()).collect();
    assert!(
        queries.iter().all(|it| !families_of(it).is_empty()),
        "{queries:?}"
    );
    let alerts = std::fs::read_to_string(deploy.join("alerts.yml")).unwrap();
    let rules = alerts
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let expressions: Vec<_> = queries.into_iter().chain(rules).collect();
    let named: Vec<_> = expressions.iter().flat_map(|it| families_of(it)).collect();
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        let is_declared = tollgate_watch::FAMILIES.iter().any(|it| it.name == name);
        assert!(is_declared, "{name} is no family");
    }
    if prometheus::is_here().unwrap() {
        prometheus::check_rules(&deploy.join("alerts.yml")).unwrap();
    }
}
