use std::collections::HashSet;

use proptest::prelude::*;
use tollgate_model::id::ApiId;
use tollgate_model::record::Answered;

use super::*;
use crate::page::Format;

const SECOND_US: i64 = 1_000_000;

/// Served versions with names that can be changed.
#[derive(Default)]
struct Fake(Mutex<HashMap<VersionId, Names>>);

impl Fake {
    fn serve(&self, number: i64, api: &str, version: &str) {
        let names = Names {
            api: api.into(),
            version: version.into(),
        };
        self.0.lock().unwrap().insert(id(number), names);
    }
}

impl Served for Fake {
    fn all(&self) -> HashMap<VersionId, Names> {
        self.0.lock().unwrap().clone()
    }
}

fn id(number: i64) -> VersionId {
    VersionId::from_raw(number)
}

/// A call of a version, which took a millisecond.
fn call(version: i64) -> Record {
    Record {
        api: Some(ApiId::from_raw(1)),
        version: Some(id(version)),
        status: 200,
        total_us: 1_000,
        ..Record::default()
    }
}

fn page(calls: &Calls) -> String {
    let mut page = Page::new(Format::Prometheus);
    calls.write(&mut page);
    page.finish()
}

/// The sum of the samples that begin with this text.
fn sum(page: &str, start: &str) -> u64 {
    let samples = page.lines().filter(|line| line.starts_with(start));
    let values = samples.map(|line| line.rsplit(' ').next().unwrap());
    values.map(|value| value.parse::<u64>().unwrap()).sum()
}

#[test]
fn a_call_is_in_each_family_that_is_about_it() {
    let served = Arc::new(Fake::default());
    served.serve(1, "Pets", "1.0");
    let calls = Calls::new(Arc::<Fake>::clone(&served));
    let mut flags = Flags::default();
    flags.set(Flags::OVER, true);
    let mut adding = calls.adding(0);
    adding.record(&Record {
        before_us: 40,
        upstream_us: 3_000,
        total_us: 4_000,
        mediate_us: 20,
        bytes_in: 7,
        bytes_out: 9,
        answered: Answered::new(AnsweredBy::Upstream, CacheUse::Miss),
        flags,
        ..call(1)
    });
    adding.record(&Record {
        status: 429,
        refusal: Some(tollgate_model::refusal::Refusal::SubscriptionLimit),
        ..call(1)
    });
    // It found no version.
    adding.record(&Record {
        status: 0,
        ..Record::default()
    });
    drop(adding);
    let page = page(&calls);
    let code = tollgate_model::refusal::Refusal::SubscriptionLimit
        .facts()
        .code;
    for line in [
        r#"tollgate_requests_total{api="Pets",version="1.0",class="2xx"} 1"#,
        r#"tollgate_requests_total{api="Pets",version="1.0",class="4xx"} 1"#,
        r#"tollgate_requests_total{api="",version="",class="left"} 1"#,
        &format!("tollgate_refusals_total{{code=\"{code}\"}} 1"),
        r#"tollgate_answers_total{answered_by="upstream"} 1"#,
        r#"tollgate_answers_total{answered_by="gateway"} 2"#,
        r#"tollgate_over_limit_total{api="Pets"} 1"#,
        r#"tollgate_request_seconds_bucket{api="Pets",le="0.001"} 1"#,
        r#"tollgate_request_seconds_count{api="Pets"} 2"#,
        r#"tollgate_request_seconds_sum{api="Pets"} 0.005"#,
        r#"tollgate_upstream_seconds_count{api="Pets"} 1"#,
        "tollgate_gateway_seconds_count 1",
        "tollgate_policy_seconds_sum 0.00002",
        r#"tollgate_received_bytes_total{api="Pets"} 7"#,
        r#"tollgate_sent_bytes_total{api="Pets"} 9"#,
        r#"tollgate_cache_requests_total{api="Pets",use="miss"} 1"#,
    ] {
        assert!(page.lines().any(|it| it == line), "{line} in\n{page}");
    }
    assert!(!page.contains("use=\"none\""));
}

#[test]
fn the_series_of_5000_versions_are_bounded_and_their_sum_is_all_calls() {
    let served = Arc::new(Fake::default());
    for number in 1..=5_000 {
        served.serve(
            number,
            &format!("api {}", number / 10),
            &format!("1.{}", number % 10),
        );
    }
    let calls = Calls::new(Arc::<Fake>::clone(&served));
    let mut made = 0_u64;
    for minute in 0..12 {
        let mut adding = calls.adding(minute * 60 * SECOND_US);
        for number in 1..=5_000 {
            let often = if number % 12 == minute { 200 } else { 1 };
            for _ in 0..often {
                adding.record(&call(number));
            }
            made += often;
        }
    }
    let page = page(&calls);
    let samples = page.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<_> = samples
        .map(|line| line.rsplit_once(' ').unwrap().0)
        .collect();
    assert!(names.len() <= 20_000, "{} series", names.len());
    let different: HashSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "a series is there twice");
    let requests = sum(&page, "tollgate_requests_total");
    let forgotten = sum(&page, "tollgate_forgotten_requests_total");
    assert_eq!(requests + forgotten, made);
    assert!(forgotten > 0, "none of the busiest has changed");
    let versions = page.lines().filter(|it| it.contains("class=\"2xx\""));
    assert_eq!(versions.count(), VERSIONS_MAX + 2);
}

#[test]
fn a_version_that_is_served_later_or_renamed_has_its_name() {
    let served = Arc::new(Fake::default());
    let calls = Calls::new(Arc::<Fake>::clone(&served));
    calls.adding(0).record(&call(1));
    served.serve(1, "Pets", "1.0");
    calls.adding(SECOND_US).record(&call(1));
    served.serve(1, "Animals", "1.0");
    calls.adding(61 * SECOND_US).record(&call(1));
    // An API with the name of the shared series is part of it.
    served.serve(2, OTHER, "1.0");
    calls.adding(62 * SECOND_US).record(&call(2));
    let page = page(&calls);
    for (api, version, count) in [("Pets", "1.0", 1), ("Animals", "1.0", 1), (OTHER, OTHER, 2)] {
        let line = format!(
            "tollgate_requests_total{{api=\"{api}\",version=\"{version}\",class=\"2xx\"}} {count}"
        );
        assert!(page.lines().any(|it| it == line), "{line} in\n{page}");
    }
    assert!(!page.contains("api=\"other\",version=\"1.0\""));
}

#[test]
fn versions_with_the_same_names_share_a_series() {
    let served = Arc::new(Fake::default());
    served.serve(1, "Pets", "1.0");
    served.serve(2, "Pets", "1.0");
    let calls = Calls::new(served);
    let mut adding = calls.adding(0);
    adding.record(&call(1));
    adding.record(&call(2));
    drop(adding);
    let page = page(&calls);
    let series = "tollgate_requests_total{api=\"Pets\",version=\"1.0\",class=\"2xx\"}";
    let lines: Vec<_> = page.lines().filter(|it| it.starts_with(series)).collect();
    assert_eq!(lines, [format!("{series} 2")]);
}

#[test]
fn versions_that_are_only_counted_stay_among_the_busiest() {
    let served = Arc::new(Fake::default());
    for number in 1..=600 {
        served.serve(number, "Pets", &number.to_string());
    }
    let calls = Calls::new(Arc::<Fake>::clone(&served));
    for minute in 0..5 {
        let mut adding = calls.adding(minute * 60 * SECOND_US);
        for number in 1..=599 {
            adding.record(&call(number));
        }
        adding.overflow(&Overflow {
            minute_us: 0,
            api: None,
            version: Some(id(600)),
            status: 200,
            calls: 10_000,
        });
    }
    let busiest = "tollgate_requests_total{api=\"Pets\",version=\"600\"";
    assert_eq!(sum(&page(&calls), busiest), 40_000);
}

proptest! {
    #[test]
    fn the_sums_are_those_of_the_calls(
        made in proptest::collection::vec((0_i64..9, 0_u16..600, any::<bool>()), 0..300),
    ) {
        let served = Arc::new(Fake::default());
        for number in 1..8 {
            served.serve(number, &format!("api {}", number / 3), &number.to_string());
        }
        let calls = Calls::new(Arc::<Fake>::clone(&served));
        let mut lost = 0;
        for (at, &(version, status, is_lost)) in made.iter().enumerate() {
            let mut adding = calls.adding(i64::try_from(at)? * 20 * SECOND_US);
            let version = (version > 0).then(|| id(version));
            if is_lost {
                lost += 1;
                adding.overflow(&Overflow {
                    minute_us: 0,
                    api: None,
                    version,
                    status,
                    calls: 1,
                });
            } else {
                adding.record(&Record { version, status, ..call(1) });
            }
        }
        let page = page(&calls);
        let all = made.len() as u64;
        prop_assert_eq!(sum(&page, "tollgate_requests_total"), all);
        prop_assert_eq!(sum(&page, "tollgate_lost_details_total"), lost);
        prop_assert_eq!(sum(&page, "tollgate_request_seconds_count"), all - lost);
        prop_assert_eq!(sum(&page, "tollgate_answers_total"), all - lost);
        let left = made.iter().filter(|(_, status, _)| *status < 100).count() as u64;
        let classes = page.lines().filter(|it| it.contains("class=\"left\""));
        let counted: u64 = classes.map(|it| sum(it, "tollgate")).sum();
        prop_assert_eq!(counted, left);
    }
}

#[test]
#[ignore = "measures"]
fn figures() {
    const CALLS: u32 = 10_000_000;
    let resident_kib = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
        let kib = line.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<u64>().unwrap()
    };
    let served = Arc::new(Fake::default());
    for number in 1..=5_000 {
        let names = (format!("api {}", number / 4), format!("1.{}", number % 4));
        served.serve(number, &names.0, &names.1);
    }
    let before_kib = resident_kib();
    let calls = Calls::new(Arc::<Fake>::clone(&served));
    let begun = std::time::Instant::now();
    let mut adding = calls.adding(0);
    for at in 0..CALLS {
        adding.record(&Record {
            before_us: 40,
            upstream_us: at % 20_000,
            total_us: at % 30_000,
            ..call(i64::from(at.wrapping_mul(2_654_435_761) % 5_000) + 1)
        });
    }
    drop(adding);
    println!("a call: {:?}", begun.elapsed() / CALLS);
    println!("kept: {} KiB", resident_kib() - before_kib);
    let begun = std::time::Instant::now();
    let page = page(&calls);
    println!("a page of {} bytes: {:?}", page.len(), begun.elapsed());
}
