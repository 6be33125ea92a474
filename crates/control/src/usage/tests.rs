use serde_json::{Value, json};
use tollgate_analytics::{Dimension, Source, UsageError};
use tollgate_model::api::Method;
use tollgate_model::compile::operation_id;
use tollgate_model::id::{ApiId, ApplicationId, PlanId, VersionId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Overflow, Owner, Record, RefusedBy};
use tollgate_model::refusal::Refusal;
use tollgate_model::template::PathTemplate;
use tollgate_model::user::Role;
use tollgate_store::plans;

use crate::error::Problem;
use crate::harness::{Answer, House, NOW_US, Person};
use crate::time::Time;

const MINUTE_US: i64 = 60 * 1_000_000;
const HOUR_US: i64 = 60 * MINUTE_US;
const DAY_US: i64 = 24 * HOUR_US;

/// Records as a worker would deliver them.
pub(super) struct Given(pub(super) Vec<Record>);

impl Source for Given {
    fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        self.0.drain(..).for_each(|record| each(&record));
    }

    fn overflow(&mut self) -> Vec<Overflow> {
        Vec::new()
    }

    fn worker(&self) -> u64 {
        1
    }
}

/// Two developers with applications that called a published version: one twice with success and
/// once over its limit, the other once.
pub(super) struct Called {
    pub(super) house: House,
    pub(super) publisher: Person,
    pub(super) developers: [Person; 2],
    api: ApiId,
    version: VersionId,
    plan: PlanId,
    pub(super) applications: [ApplicationId; 2],
}

impl Called {
    pub(super) async fn new() -> Self {
        Self::with(Self::usual).await
    }

    fn usual(&self) -> Vec<Record> {
        let [ones, others] = self.applications;
        let record = self.record(ones, 200, None);
        vec![
            record,
            Record {
                answered: Answered::new(AnsweredBy::Upstream, CacheUse::Miss),
                ..record
            },
            self.limited(),
            Record {
                answered: Answered::new(AnsweredBy::Upstream, CacheUse::Hit),
                ..self.record(others, 200, None)
            },
        ]
    }

    /// A call of the first application that was refused by the plan's first limit.
    pub(super) fn limited(&self) -> Record {
        Record {
            refused_by: Some(RefusedBy::new(Owner::Plan, 0)),
            ..self.record(self.applications[0], 429, Some(Refusal::SubscriptionLimit))
        }
    }

    /// Calls with rising numbers, from 1 on, by the worker 1.
    pub(super) async fn with(records: impl FnOnce(&Self) -> Vec<Record>) -> Self {
        let house = House::new().await;
        let publisher = house.person("ann", &[Role::Publisher]).await;
        let (api, version) = publish(&house, &publisher).await;
        let plan = plans::by_name(&house.control.store, "gold").await;
        let plan = plan.unwrap().unwrap().id;
        let (one, ones) = developer(&house, "one").await;
        let (other, others) = developer(&house, "other").await;
        let called = Self {
            house,
            publisher,
            developers: [one, other],
            api,
            version,
            plan,
            applications: [ones, others],
        };
        let records = records(&called);
        let numbered = (1..).zip(records);
        let numbered = numbered.map(|(number, record)| Record { number, ..record });
        let records = numbered.collect();
        let usage = called.house.control.usage.clone();
        let (sources, quotas) = (
            vec![Box::new(Given(records)) as _],
            Box::new(|_| Vec::new()),
        );
        tokio::spawn(usage.run(sources, quotas, std::future::pending()));
        tokio::task::yield_now().await;
        called
    }

    pub(super) fn record(
        &self,
        application: ApplicationId,
        status: u16,
        refusal: Option<Refusal>,
    ) -> Record {
        let path = PathTemplate::parse("/pets/{pet}").unwrap();
        Record {
            at_us: NOW_US - MINUTE_US,
            api: Some(self.api),
            version: Some(self.version),
            operation: Some(operation_id(self.version, Method::Get, &path)),
            application: Some(application),
            plan: Some(self.plan),
            status,
            refusal,
            total_us: 100,
            upstream_us: 40,
            mediate_us: 3,
            answered: match refusal {
                None => Answered::new(AnsweredBy::Upstream, CacheUse::None),
                Some(_) => Answered::default(),
            },
            bytes_in: 1,
            bytes_out: 10,
            ..Record::default()
        }
    }

    pub(super) async fn query_usage(&self, person: &Person, query: &str) -> Answer {
        let path = format!("/api/v1/usage{query}");
        self.house.get(&path).by(person).await
    }
}

async fn publish(house: &House, ann: &Person) -> (ApiId, VersionId) {
    let body = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
    let made = house.post("/api/v1/apis", body).by(ann).await;
    let version = made.text("/version/id");
    let draft = json!({
        "operations": [{"method": "GET", "path": "/pets/{pet}"}],
        "upstream": {"url": "http://127.0.0.1:9"},
    });
    house.publish(ann, version, draft, json!(["gold"])).await;
    (
        made.text("/api/id").parse().unwrap(),
        version.parse().unwrap(),
    )
}

async fn developer(house: &House, name: &str) -> (Person, ApplicationId) {
    let person = house.person(name, &[Role::Developer]).await;
    let body = json!({"name": format!("{name}'s shop")});
    let made = house.post("/api/v1/applications", body).by(&person).await;
    let id = made.text("/id").parse().unwrap();
    (person, id)
}

#[tokio::test]
async fn calls_are_grouped_by_the_requested_dimensions_with_names() {
    let called = Called::new().await;
    let all = called.query_usage(&called.publisher, "").await;
    assert_eq!(all.status, 200, "{all:?}");
    assert_eq!(all.body["rows"][0]["calls"], 4);
    assert_eq!(all.body["rows"][0]["total_us_sum"], 400);
    assert_eq!(all.body["rows"][0]["upstream_us_sum"], 160);
    assert_eq!(all.body["rows"][0]["mediate_us_sum"], 12);
    let answered = json!({ "upstream": 3, "policy": 0, "mock": 0, "preflight": 0, "gateway": 1 });
    assert_eq!(all.body["rows"][0]["answered"], answered);
    assert_eq!(all.body["rows"][0].get("api"), None);
    assert_eq!(all.body["losses"], json!([]));
    let query = "?group_by=api,version,operation,application,status,refusal,minute";
    let apart = called.query_usage(&called.publisher, query).await;
    let rows = apart.body["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let refused = rows.iter().find(|row| row["status"] == 429).unwrap();
    assert_eq!(refused["api"], json!({"id": called.api, "name": "Pets"}));
    assert_eq!(
        refused["version"],
        json!({"id": called.version, "name": "1.0"})
    );
    assert_eq!(refused["operation"]["name"], "GET /pets/{pet}");
    assert_eq!(refused["application"]["name"], "one's shop");
    assert_eq!(refused["refusal"], "admit.subscription");
    assert_eq!(refused["calls"], 1);
    let some = called
        .query_usage(&called.publisher, "?status=200&group_by=status")
        .await;
    assert_eq!(some.body["rows"].as_array().unwrap().len(), 1);
    assert_eq!(some.body["rows"][0]["calls"], 3);
    let past = "?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z";
    assert_eq!(
        called.query_usage(&called.publisher, past).await.body["rows"],
        json!([])
    );
}

#[tokio::test]
async fn calls_are_grouped_by_what_the_cache_did() {
    let called = Called::new().await;
    let seen = async |query: &str| {
        let seen = called.query_usage(&called.publisher, query).await;
        let rows = seen.body["rows"].as_array().unwrap().iter();
        let rows = rows.map(|row| {
            let names = ["cache", "calls", "bytes_from_cache", "cache_rate"];
            json!(names.map(|name| row.get(name)))
        });
        Value::from_iter(rows)
    };
    assert_eq!(seen("").await, json!([[null, 4, 10, 0.5]]));
    let by_use = json!([
        ["none", 2, 0, null],
        ["miss", 1, 0, 0.0],
        ["hit", 1, 10, 1.0]
    ]);
    assert_eq!(seen("?group_by=cache").await, by_use);
    // The rate of no calls is present and null, not absent.
    let refused = called.query_usage(&called.publisher, "?status=429").await;
    assert_eq!(
        refused.body["rows"][0].get("cache_rate"),
        Some(&json!(null))
    );
}

#[tokio::test]
async fn calls_are_grouped_by_time_steps() {
    let called = Called::new().await;
    // Not hours or minutes: the calls are older than these are kept.
    let at_us = NOW_US - MINUTE_US;
    let begins = json!(Time(at_us - at_us % DAY_US));
    let query = "?step=day&group_by=application";
    let apart = called.query_usage(&called.publisher, query).await;
    assert_eq!(apart.body["step"], "day");
    let rows = apart.body["rows"].as_array().unwrap();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (&row["time"], row.get("minute"), row["calls"].as_u64()))
        .collect();
    assert_eq!(rows, [(&begins, None, Some(3)), (&begins, None, Some(1))]);
    let minute = called
        .query_usage(&called.publisher, "?group_by=minute")
        .await;
    assert_eq!(minute.body.get("step"), None);
    assert_eq!(minute.body["rows"][0].get("time"), None);
}

#[tokio::test]
async fn developers_count_the_calls_of_their_own_applications_only() {
    let called = Called::new().await;
    let [one, other] = &called.developers;
    for (person, calls) in [(one, 3), (other, 1)] {
        let seen = called.query_usage(person, "?group_by=application").await;
        assert_eq!(seen.body["rows"].as_array().unwrap().len(), 1);
        assert_eq!(seen.body["rows"][0]["calls"], calls);
    }
    let foreign = format!("?application={}", called.applications[0]);
    assert_eq!(
        called.query_usage(one, &foreign).await.body["rows"][0]["calls"],
        3
    );
    let refused = called.query_usage(other, &foreign).await;
    assert_eq!(refused.problem(), (404, "application.unknown"));
    let idle = called.house.person("idle", &[Role::Developer]).await;
    assert_eq!(called.query_usage(&idle, "").await.body["rows"], json!([]));
}

#[tokio::test]
async fn publishers_count_the_calls_of_their_own_apis_only() {
    let called = Called::new().await;
    let house = &called.house;
    let bob = house.person("bob", &[Role::Publisher]).await;
    let both = house
        .person("both", &[Role::Publisher, Role::Developer])
        .await;
    let root = house.person("root", &[Role::Administrator]).await;
    for (person, calls) in [(&called.publisher, 4), (&root, 4)] {
        let seen = called.query_usage(person, "?group_by=application").await;
        assert_eq!(seen.body["rows"].as_array().unwrap().len(), 2);
        let seen = called.query_usage(person, "").await;
        assert_eq!(seen.body["rows"][0]["calls"], calls);
    }
    assert_eq!(called.query_usage(&bob, "").await.body["rows"], json!([]));
    assert_eq!(called.query_usage(&both, "").await.body["rows"], json!([]));
    let of_application = format!("?application={}", called.applications[0]);
    let seen = called.query_usage(&called.publisher, &of_application).await;
    assert_eq!(seen.body["rows"][0]["calls"], 3);
    let seen = called.query_usage(&bob, &of_application).await;
    assert_eq!(seen.body["rows"], json!([]));
    let path = PathTemplate::parse("/pets/{pet}").unwrap();
    let operation = operation_id(called.version, Method::Get, &path);
    let filters = [
        (format!("?api={}", called.api), "api.unknown"),
        (format!("?version={}", called.version), "version.unknown"),
        (format!("?operation={operation}"), "operation.unknown"),
    ];
    for (filter, _) in &filters {
        let seen = called.query_usage(&called.publisher, filter).await;
        assert_eq!(seen.body["rows"][0]["calls"], 4, "{filter}");
        let refused = called.query_usage(&bob, filter).await;
        assert_eq!(refused.problem(), (403, "api.not_owner"), "{filter}");
        assert_eq!(
            called.query_usage(&both, filter).await.body["rows"],
            json!([])
        );
    }
    // Calls of another owner's API are counted for the developer, even one who is also a publisher.
    let path = format!("/api/v1/users/{}", called.developers[0].id);
    let roles = json!({"roles": ["publisher", "developer"]});
    house.patch(&path, roles).by(&root).await.expect(200);
    let seen = called
        .query_usage(&called.developers[0], &filters[0].0)
        .await;
    assert_eq!(seen.body["rows"][0]["calls"], 3);
    let path = format!("/api/v1/versions/{}/lifecycle", called.version);
    let block = house.post(&path, json!({"to": "blocked"}));
    block.by(&called.publisher).await.expect(200);
    let unknown = ["api_00000000001", "ver_00000000001", "opn_00000000001"];
    for ((filter, code), unknown) in filters.iter().zip(unknown) {
        let name = filter.split('=').next().unwrap();
        for filter in [filter, &format!("{name}={unknown}")] {
            let refused = called.query_usage(&bob, filter).await;
            assert_eq!(refused.problem(), (404, *code), "{filter}");
        }
    }
}

#[tokio::test]
async fn deleted_objects_keep_their_names() {
    let called = Called::new().await;
    let path = format!("/api/v1/versions/{}/lifecycle", called.version);
    let back = called.house.post(&path, json!({"to": "created"}));
    let back = back.by(&called.publisher).await;
    assert_eq!(back.status, 200, "{back:?}");
    let path = format!("/api/v1/apis/{}", called.api);
    let gone = called.house.delete(&path).by(&called.publisher).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    let path = format!("/api/v1/applications/{}", called.applications[0]);
    let gone = called.house.delete(&path).by(&called.developers[0]).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    let query = "?group_by=api,version,operation,application&status=429";
    let seen = called.query_usage(&called.publisher, query).await;
    let row: &Value = &seen.body["rows"][0];
    let names = [
        &row["api"],
        &row["version"],
        &row["operation"],
        &row["application"],
    ];
    let names: Vec<_> = names.iter().map(|named| &named["name"]).collect();
    let expected = json!(["Pets", "1.0", "GET /pets/{pet}", "one's shop"]);
    assert_eq!(json!(names), expected);
    // Nor does its owner change.
    let bob = called.house.person("bob", &[Role::Publisher]).await;
    assert_eq!(
        called.query_usage(&bob, query).await.body["rows"],
        json!([])
    );
    for (filter, code) in [
        (format!("?api={}", called.api), "api.unknown"),
        (format!("?version={}", called.version), "version.unknown"),
    ] {
        let seen = called.query_usage(&called.publisher, &filter).await;
        assert_eq!(seen.body["rows"][0]["calls"], 4);
        let refused = called.query_usage(&bob, &filter).await;
        assert_eq!(refused.problem(), (404, code));
    }
}

#[tokio::test]
async fn an_invalid_query_names_its_parameter() {
    let called = Called::new().await;
    for (query, name) in [
        ("?group_by=colour", "group_by"),
        ("?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"),
        ("?from=yesterday", "from"),
        ("?api=pets", "api"),
        ("?status=ok", "status"),
        ("?colour=red", "colour"),
        ("?step=year", "step"),
        ("?step=day&group_by=minute", "step"),
        ("?step=day&step=hour", "step"),
        ("?zone=Mars/Base", "zone"),
        ("?metrics=p42", "metrics"),
        ("?metrics=p50,p75,p90,p95,p99,p999,avg,max,calls", "metrics"),
        ("?top=0&group_by=api", "top"),
        ("?top=101&group_by=api", "top"),
        ("?top=ten&group_by=api", "top"),
        ("?top=3", "top"),
        ("?top=3&group_by=minute", "top"),
        ("?order_by=p95", "order_by"),
        ("?order_by=speed&top=3&group_by=api", "order_by"),
        ("?compare=tomorrow", "compare"),
        ("?as=administrator", "as"),
        ("?plan=gold", "plan"),
        ("?environment=staging", "environment"),
        ("?status_class=6xx", "status_class"),
        ("?status=99", "status"),
        ("?status=200,600", "status"),
        ("?group_by=version,api,version", "group_by"),
        ("?metrics=calls,calls", "metrics"),
        ("?refusal=admit.everything", "refusal"),
        ("?blame=nobody", "blame"),
        ("?cache=maybe", "cache"),
        ("?blame=caller&blame=us", "blame"),
        ("?version=ver_1&version=ver_2", "version"),
        (
            "?from=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z",
            "from",
        ),
        (&format!("?status={}", vec!["200"; 501].join(",")), "status"),
        (&format!("?zone={}", "Z".repeat(300)), "zone"),
        (&format!("?group_by={}", "api,".repeat(500)), "group_by"),
    ] {
        let refused = called.query_usage(&called.publisher, query).await;
        assert_eq!(refused.problem(), (400, "query.invalid"), "{query}");
        assert!(
            refused.text("/detail").contains(name),
            "{query}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn percentiles_the_first_groups_all_others_and_the_total_are_computed() {
    let called = Called::new().await;
    let query = "?group_by=application&metrics=calls,error_rate,p95,rate&top=1&order_by=p95";
    let seen = called.query_usage(&called.publisher, query).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    let [first, other] = ["/rows", "/others"].map(|place| {
        let rows = seen.body.pointer(place).unwrap().as_array().unwrap();
        assert_eq!(rows.len(), 1, "{seen:?}");
        &rows[0]
    });
    // Both took as long, and the order of equal groups is that of their ids.
    assert_eq!(first["application"]["name"], "one's shop");
    assert_eq!(first["metrics"]["calls"], 3.0);
    let p95 = first["metrics"]["p95"].as_f64().unwrap();
    assert!((p95 - 100.0).abs() <= 2.0, "{p95}");
    assert_eq!(other["metrics"]["calls"], 1.0);
    assert_eq!(other.get("application"), None);
    assert_eq!(seen.body["total"]["calls"], 4);
    // No table has the percentiles of applications by API.
    assert_eq!(seen.body["source"], "calls");
    let steps = format!("{query}&step=hour");
    let seen = called.query_usage(&called.publisher, &steps).await;
    let rows = seen.body["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["calls"]), (1, &json!(3)), "{seen:?}");
    assert!(seen.body["others"][0]["time"].is_string(), "{seen:?}");
}

#[tokio::test]
async fn an_earlier_range_is_compared_and_a_zone_has_days_of_its_own() {
    let called = Called::new().await;
    let [from, to] = [NOW_US + 6 * DAY_US, NOW_US + 7 * DAY_US].map(|at| json!(Time(at)));
    let [from, to] = [&from, &to].map(|at| at.as_str().unwrap());
    let query = format!("?from={from}&to={to}&compare=week&metrics=calls");
    let seen = called.query_usage(&called.publisher, &query).await;
    assert_eq!(seen.body["rows"], json!([]), "{seen:?}");
    assert_eq!(seen.body.get("total"), None);
    assert_eq!(
        seen.body["compared"]["total"]["metrics"]["calls"], 4.0,
        "{seen:?}"
    );
    let query = "?step=day&zone=Asia/Kolkata";
    let seen = called.query_usage(&called.publisher, query).await;
    let begins = seen.text("/rows/0/time");
    assert!(begins.ends_with("T18:30:00Z"), "{seen:?}");
}

#[tokio::test]
async fn steps_that_are_too_fine_name_the_finest_that_fits() {
    let called = Called::new().await;
    let query = "?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&step=";
    let refused = called
        .query_usage(&called.publisher, &format!("{query}minute"))
        .await;
    assert_eq!(refused.problem(), (422, "usage.too_many_steps"));
    assert!(refused.text("/detail").contains("\"hour\""), "{refused:?}");
    let auto = called
        .query_usage(&called.publisher, &format!("{query}auto"))
        .await;
    assert_eq!(auto.body["step"], "hour");
}

#[tokio::test]
async fn ranges_without_figures_are_answered_with_none() {
    let called = Called::new().await;
    for range in [
        "?from=1970-01-01T00:00:00Z&to=1970-02-01T00:00:00Z",
        "?from=2190-01-01T00:00:00Z&to=2190-02-01T00:00:00Z",
        "?from=9998-01-01T00:00:00Z&to=9999-01-01T00:00:00Z",
    ] {
        for compare in ["", "&compare=previous", "&compare=year"] {
            let query = format!("{range}&metrics=calls,p95{compare}");
            let seen = called.query_usage(&called.publisher, &query).await;
            assert_eq!(seen.status, 200, "{query}: {seen:?}");
            assert_eq!(seen.body["rows"], json!([]), "{query}");
            assert_eq!(seen.body.get("total"), None, "{query}");
        }
    }
}

#[test]
fn what_no_cube_answers_names_what_to_leave_out() {
    let detail = |surplus: &[Dimension], has_halves| {
        let problem = Problem::from(UsageError::NoCube {
            surplus: surplus.to_vec(),
            since_us: NOW_US,
            has_halves,
        });
        let known = (problem.status().as_u16(), problem.code());
        assert_eq!(known, (422, "usage.no_cube"));
        problem.detail().to_owned()
    };
    let both = detail(&[Dimension::Agent, Dimension::Plan], false);
    assert!(both.contains("leave out agent, plan"), "{both}");
    assert!(!both.contains("\"as\""), "{both}");
    let half = detail(&[], true);
    assert!(half.contains("leave out the percentiles"), "{half}");
    assert!(half.contains("one half with \"as\""), "{half}");
}

#[tokio::test]
async fn those_who_see_two_halves_choose_one() {
    let called = Called::new().await;
    let root = called.house.person("root", &[Role::Administrator]).await;
    let path = format!("/api/v1/users/{}", called.developers[0].id);
    let roles = json!({"roles": ["publisher", "developer"]});
    called.house.patch(&path, roles).by(&root).await.expect(200);
    let both = &called.developers[0];
    let own = json!({"name": "Own", "context": "/own", "version": "1.0"});
    called
        .house
        .post("/api/v1/apis", own)
        .by(both)
        .await
        .expect(201);
    let calls = async |query: &str| {
        let seen = called.query_usage(both, query).await;
        (
            seen.body["total"]["calls"].clone(),
            seen.body["source"].clone(),
        )
    };
    assert_eq!(calls("").await, (json!(3), json!("pair")));
    assert_eq!(
        calls("?as=developer").await,
        (json!(3), json!("application"))
    );
    assert_eq!(
        calls("?as=publisher").await,
        (json!(null), json!("version"))
    );
    let own = format!("?application={}", called.applications[0]);
    assert_eq!(calls(&own).await, (json!(3), json!("application")));
    let missing = called.query_usage(&called.publisher, "?as=developer").await;
    assert_eq!(missing.problem(), (403, "role.missing"));
}

#[tokio::test]
async fn rows_are_a_table_for_those_who_accept_csv() {
    let called = Called::new().await;
    let path = "/api/v1/usage?group_by=application,status&metrics=calls";
    let request = called.house.get(path).header("accept", "text/csv");
    let answer = request.by(&called.publisher).await;
    let lines: Vec<_> = answer.text("").lines().collect();
    assert_eq!(
        lines[0], "application,application_name,status,calls",
        "{answer:?}"
    );
    let ids = called.applications;
    assert_eq!(lines[1], format!("{},one's shop,200,2", ids[0]));
    assert_eq!(lines[2], format!("{},one's shop,429,1", ids[0]));
    assert_eq!(lines.len(), 4);
}

/// What pages ask in each of their ranges, and who opens them: `P` a publisher, `D` a developer.
/// `S` is the step of the range.
const OF_PAGES: [(char, &str); 16] = [
    ('P', "version=V&group_by=version"),
    (
        'D',
        "application=C&refusal=admit.subscription&group_by=api,version&metrics=calls&top=10",
    ),
    (
        'P',
        "version=V&step=S&compare=week&metrics=refused,avg,max,p50,p95,p99,cache_rate",
    ),
    (
        'P',
        "version=V&group_by=operation&metrics=calls,p95,upstream_p95&top=10&order_by=p95",
    ),
    (
        'P',
        "version=V&group_by=application&metrics=calls,error_rate&top=10",
    ),
    ('P', "version=V&group_by=status,refusal&top=20"),
    (
        'P',
        "version=V&group_by=cache&metrics=avg,cache_rate,bytes_from_cache",
    ),
    ('P', "version=V&group_by=application&metrics=calls&top=100"),
    (
        'P',
        "api=A&step=S&compare=week&metrics=refused,avg,max,p50,p95,p99,cache_rate",
    ),
    (
        'P',
        "api=A&group_by=version&metrics=calls,error_rate,p95&top=10",
    ),
    (
        'P',
        "api=A&group_by=application&metrics=calls,error_rate&top=10",
    ),
    (
        'P',
        "as=publisher&group_by=api&compare=week&metrics=calls,error_rate,p50,p95,p99&top=3",
    ),
    (
        'D',
        "application=C&step=S&compare=week&metrics=refused,avg,max,p50,p95,p99,cache_rate",
    ),
    (
        'D',
        "application=C&group_by=api,version&metrics=calls,error_rate,avg&top=10",
    ),
    (
        'D',
        "application=C&group_by=api,version,status,refusal&metrics=refused&top=20",
    ),
    ('D', "as=developer&group_by=application&metrics=refused"),
];

/// The ranges of the portal's charts: seconds, and the step of points.
fn ranges_of_pages() -> Vec<(i64, String)> {
    let text = include_str!("../../../../portal/src/charts/ranges.ts");
    let ranges = text.lines().filter_map(|line| {
        let (_, shown) = line.split_once("{ seconds: ")?;
        let (seconds, step) = shown.split_once(", step: \"")?;
        let step = step.split('"').next()?;
        Some((seconds.replace('_', "").parse().ok()?, step.to_owned()))
    });
    ranges.collect()
}

#[tokio::test]
async fn every_question_of_a_page_has_its_cube_in_each_range() {
    let called = Called::new().await;
    let ranges = ranges_of_pages();
    assert_eq!(ranges.len(), 4);
    for (seconds, step) in ranges {
        for (who, question) in OF_PAGES {
            let question = question
                .replace("=V", &format!("={}", called.version))
                .replace("=A", &format!("={}", called.api))
                .replace("=C", &format!("={}", called.applications[0]))
                .replace("=S", &format!("={step}"));
            let from = jiff::Timestamp::from_microsecond(NOW_US - seconds * 1_000_000);
            let query = format!("?{question}&from={}", from.unwrap());
            let person = match who {
                'P' => &called.publisher,
                _ => &called.developers[0],
            };
            let answer = called.query_usage(person, &query).await.expect(200);
            assert_ne!(answer.body["source"], "calls", "{query}");
            assert!(
                answer.body["total"]["calls"].as_u64() >= Some(1),
                "{query}: {answer:?}"
            );
        }
    }
}
