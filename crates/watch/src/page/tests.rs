use super::*;
use crate::families::{BUILD_INFO, CONNECTIONS, GATEWAY_SECONDS, REQUESTS};
use crate::histogram::Bounds;

fn page(format: Format) -> String {
    let mut page = Page::new(format);
    let mut requests = page.family(&REQUESTS);
    requests.number(&["a \"b\" \\ c\nd", "1.0", "2xx"], 3);
    requests.number(&["", "", "left"], 0);
    page.family(&CONNECTIONS);
    let mut taken = Histogram::new(&Bounds::OWN);
    taken.add(30);
    taken.add(2_000_000);
    page.family(&GATEWAY_SECONDS).histogram(&[], &taken);
    page.family(&BUILD_INFO).number(&["0.1.0"], 1);
    page.finish()
}

#[test]
fn both_formats_have_the_same_samples_and_their_own_heads() {
    let (plain, open) = (page(Format::Prometheus), page(Format::OpenMetrics));
    let samples = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(samples(&plain), samples(&open));
    let first = r#"tollgate_requests_total{api="a \"b\" \\ c\nd",version="1.0",class="2xx"} 3"#;
    assert_eq!(samples(&plain)[0], first);
    assert!(plain.contains("# TYPE tollgate_requests_total counter\n"));
    assert!(open.contains("# TYPE tollgate_requests counter\n"));
    assert!(plain.contains("# TYPE tollgate_build_info gauge\n"));
    assert!(open.contains("# TYPE tollgate_build info\n"));
    assert!(open.contains("# UNIT tollgate_gateway_seconds seconds\n"));
    assert!(!plain.contains("# UNIT") && !plain.contains("# EOF"));
    assert!(open.ends_with("# EOF\n"));
    assert!(plain.contains("tollgate_gateway_seconds_bucket{le=\"5e-05\"} 1\n"));
    assert!(plain.contains("tollgate_gateway_seconds_bucket{le=\"+Inf\"} 2\n"));
    assert!(plain.contains("tollgate_gateway_seconds_sum 2.00003\n"));
    assert!(!plain.contains("tollgate_connections"), "it has no samples");
}

#[test]
fn openmetrics_is_sent_to_those_who_prefer_it() {
    let prometheus = "application/openmetrics-text;version=1.0.0,\
        application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
    for (accept, format) in [
        (prometheus, Format::OpenMetrics),
        ("application/openmetrics-text", Format::OpenMetrics),
        ("Application/OpenMetrics-Text; Q=0.1", Format::OpenMetrics),
        ("application/openmetrics-text;q=0", Format::Prometheus),
        (
            "application/openmetrics-text;q=0.4, text/plain",
            Format::Prometheus,
        ),
        (
            "application/openmetrics-text;version=0.0.1",
            Format::Prometheus,
        ),
        ("application/openmetrics-text;q=x", Format::Prometheus),
        ("*/*", Format::Prometheus),
        ("text/html", Format::Prometheus),
        ("", Format::Prometheus),
    ] {
        assert_eq!(Format::preferred(accept), format, "{accept}");
    }
}
