use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tollgate_model::id::{Id, Kind, PlanId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Record};
use tollgate_model::refusal::Refusal;

use super::*;
use crate::harness::{House, NOW_US, Person};
use crate::usage::tests::Given;

const DAY_US: i64 = 24 * 3_600 * 1_000_000;
const QUESTIONS: usize = 2_000;
/// Owners of an API and of an application each. The last one asks nothing.
const OWNERS: usize = 4;
/// Those who ask: a developer, a publisher, both, and an administrator who owns nothing.
const ROLES: [&[Role]; OWNERS] = [
    &[Role::Developer],
    &[Role::Publisher],
    &[Role::Developer, Role::Publisher],
    &[Role::Administrator],
];

/// What a call was, by the places of owners.
#[derive(Debug, Clone, Copy)]
struct Called {
    api: usize,
    /// None without a valid credential.
    application: Option<usize>,
    status: u16,
    at_us: i64,
    total_us: u32,
}

/// A question, by places of owners; one beyond them is nobody's.
#[derive(Debug, Clone)]
struct Asked {
    by: usize,
    half: Option<&'static str>,
    group_by: Vec<&'static str>,
    api: Option<usize>,
    version: Option<usize>,
    application: Option<usize>,
    status: Option<u16>,
    top: Option<usize>,
    days: i64,
    others: [bool; 4],
}

struct World {
    house: House,
    people: Vec<Person>,
    apis: Vec<ApiId>,
    versions: Vec<VersionId>,
    applications: Vec<ApplicationId>,
    calls: Vec<Called>,
}

fn calls() -> impl Strategy<Value = Vec<Called>> {
    let call = (
        0..OWNERS,
        prop::option::of(0..OWNERS),
        prop::sample::select(vec![200, 200, 404, 429, 503]),
        1..12 * DAY_US,
        1..9_000_u32,
    );
    let call = call.prop_map(|(api, application, status, ago_us, total_us)| Called {
        api,
        application,
        status,
        at_us: NOW_US - ago_us,
        total_us,
    });
    vec(call, 600)
}

fn asked() -> impl Strategy<Value = Asked> {
    let place = || prop::option::weighted(0.3, 0..=OWNERS);
    let dimensions = vec!["api", "version", "application", "status", "plan"];
    (
        (
            0..OWNERS,
            prop::option::of(prop::sample::select(vec!["developer", "publisher"])),
            prop::sample::subsequence(dimensions, 0..=3),
        ),
        (place(), place(), place()),
        prop::option::weighted(0.2, prop::sample::select(vec![200, 429])),
        prop::option::weighted(0.4, 1..4_usize),
        (1..6_i64, any::<[bool; 4]>()),
    )
        .prop_map(|((by, half, group_by), places, status, top, rest)| Asked {
            by,
            half,
            group_by,
            api: places.0,
            version: places.1,
            application: places.2,
            status,
            top,
            days: rest.0,
            others: rest.1,
        })
}

fn texts<K: Kind>(ids: &[Id<K>]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// Draws a value, the same one in every run.
fn drawn<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> T {
    let mut runner = TestRunner::deterministic();
    strategy.new_tree(&mut runner).unwrap().current()
}

impl World {
    async fn new() -> Self {
        let house = House::new().await;
        let mut world = Self {
            people: Vec::new(),
            apis: Vec::new(),
            versions: Vec::new(),
            applications: Vec::new(),
            calls: drawn(calls()),
            house,
        };
        let root = world.house.person("root", &[Role::Administrator]).await;
        for (place, roles) in ROLES.iter().enumerate() {
            let name = format!("person{place}");
            // Everybody owns an API and an application, also of roles that were taken away since.
            let all = [Role::Publisher, Role::Developer];
            let person = world.house.person(&name, &all).await;
            let body = json!({"name": name, "context": format!("/{name}"), "version": "1.0"});
            let made = world.house.post("/api/v1/apis", body).by(&person).await;
            world.apis.push(made.text("/api/id").parse().unwrap());
            world
                .versions
                .push(made.text("/version/id").parse().unwrap());
            let body = json!({"name": format!("{name}'s shop")});
            let made = world.house.post("/api/v1/applications", body);
            let made = made.by(&person).await;
            world.applications.push(made.text("/id").parse().unwrap());
            let path = format!("/api/v1/users/{}", person.id);
            let roles = json!({ "roles": roles.iter().map(|it| it.word()).collect::<Vec<_>>() });
            world.house.patch(&path, roles).by(&root).await.expect(200);
            world.people.push(person);
        }
        let records = world.calls.iter().map(|call| world.record(call)).collect();
        let usage = world.house.control.usage.clone();
        let sources = vec![Box::new(Given(records)) as _];
        let run = usage.run(sources, Box::new(|_| Vec::new()), std::future::pending());
        tokio::spawn(run);
        tokio::task::yield_now().await;
        world
    }

    fn record(&self, call: &Called) -> Record {
        Record {
            at_us: call.at_us,
            api: Some(self.apis[call.api]),
            version: Some(self.versions[call.api]),
            application: call.application.map(|it| self.applications[it]),
            plan: call.application.map(|it| Id::from_raw(1 + it as i64)),
            status: call.status,
            refusal: (call.status == 429).then_some(Refusal::ApiLimit),
            total_us: call.total_us,
            answered: Answered::new(AnsweredBy::Upstream, CacheUse::None),
            ..Record::default()
        }
    }

    fn query(&self, asked: &Asked) -> String {
        let from = jiff::Timestamp::from_microsecond(NOW_US - asked.days * DAY_US);
        let mut query = format!("?from={}", from.unwrap());
        let mut add = |name: &str, value: String| query.push_str(&format!("&{name}={value}"));
        if !asked.group_by.is_empty() {
            add("group_by", asked.group_by.join(","));
        }
        // One place more is of nobody.
        let own = |ids: Vec<String>, place: usize, nobodys: &str| {
            ids.get(place)
                .map_or_else(|| nobodys.to_owned(), String::clone)
        };
        if let Some(place) = asked.api {
            add("api", own(texts(&self.apis), place, "api_00000000001"));
        }
        if let Some(place) = asked.version {
            add(
                "version",
                own(texts(&self.versions), place, "ver_00000000001"),
            );
        }
        if let Some(place) = asked.application {
            add(
                "application",
                own(texts(&self.applications), place, "app_00000000001"),
            );
        }
        if let Some(half) = asked.half {
            add("as", half.to_owned());
        }
        if let Some(status) = asked.status {
            add("status", status.to_string());
        }
        let [has_metrics, has_step, has_compare, has_percentile] = asked.others;
        if let Some(top) = asked.top.filter(|_| !asked.group_by.is_empty()) {
            add("top", top.to_string());
        }
        if has_metrics {
            add(
                "metrics",
                if has_percentile {
                    "calls,p95"
                } else {
                    "calls,errors"
                }
                .to_owned(),
            );
        }
        if has_step {
            add("step", "day".to_owned());
        }
        if has_compare {
            add("compare", "previous".to_owned());
        }
        query
    }

    /// The calls that an answer has to count, by definition.
    fn visible<'w>(
        &'w self,
        asked: &'w Asked,
        [from_us, to_us]: [i64; 2],
    ) -> impl Iterator<Item = &'w Called> {
        let is =
            |role, half| ROLES[asked.by].contains(&role) && asked.half.is_none_or(|it| it == half);
        let is_all = ROLES[asked.by].contains(&Role::Administrator) && asked.half.is_none();
        let of_apis = is(Role::Publisher, "publisher");
        // Who is a publisher now sees the calls of own applications too.
        let of_applications = is(Role::Developer, "developer") || asked.half.is_none();
        self.calls.iter().filter(move |call| {
            let own = is_all
                || of_apis && call.api == asked.by
                || of_applications && call.application == Some(asked.by);
            own && (from_us..to_us).contains(&call.at_us)
                && asked.api.is_none_or(|it| it == call.api)
                && asked.version.is_none_or(|it| it == call.api)
                && asked
                    .application
                    .is_none_or(|it| Some(it) == call.application)
                && asked.status.is_none_or(|it| it == call.status)
        })
    }

    /// The values of a call by which an answer groups, as rows show them.
    fn group(&self, call: &Called, asked: &Asked) -> String {
        let values = asked.group_by.iter().map(|it| match *it {
            "api" => self.apis[call.api].to_string(),
            "version" => self.versions[call.api].to_string(),
            "application" => {
                let application = call.application.map(|it| self.applications[it].to_string());
                application.unwrap_or_default()
            }
            "plan" => {
                let plan = call.application.map(|it| PlanId::from_raw(1 + it as i64));
                plan.map(|it| it.to_string()).unwrap_or_default()
            }
            _ => call.status.to_string(),
        });
        values.collect::<Vec<_>>().join(" ")
    }

    /// Asserts that rows, others and total are sums of visible calls.
    fn assert_sums(&self, asked: &Asked, figures: &Value) {
        let time = |name: &str| {
            let text = figures[name].as_str().unwrap();
            text.parse::<jiff::Timestamp>().unwrap().as_microsecond()
        };
        let range = [time("from"), time("to")];
        let mut groups = BTreeMap::<String, u64>::new();
        for call in self.visible(asked, range) {
            *groups.entry(self.group(call, asked)).or_default() += 1;
        }
        let all: u64 = groups.values().sum();
        let calls = |row: &Value| row["calls"].as_u64().unwrap();
        let sum = |name: &str| {
            figures[name]
                .as_array()
                .unwrap()
                .iter()
                .map(calls)
                .sum::<u64>()
        };
        assert_eq!(sum("rows") + sum("others"), all, "{asked:?} {figures}");
        let total = figures.get("total").filter(|it| !it.is_null());
        assert_eq!(total.map_or(0, calls), all, "{asked:?} {range:?} {figures}");
        let mut seen = BTreeMap::<String, u64>::new();
        for row in figures["rows"].as_array().unwrap() {
            let values = asked.group_by.iter().map(|name| match &row[name] {
                Value::Object(named) => named["id"].as_str().unwrap().to_owned(),
                Value::Null => String::new(),
                other => other.to_string(),
            });
            let group = values.collect::<Vec<_>>().join(" ");
            *seen.entry(group).or_default() += calls(row);
        }
        for (group, calls) in seen {
            assert_eq!(
                groups.get(&group),
                Some(&calls),
                "{asked:?} {group}: {figures}"
            );
        }
    }
}

#[tokio::test]
async fn no_question_is_answered_with_calls_that_are_foreign() {
    assert_own(0..QUESTIONS / 2).await;
}

#[tokio::test]
async fn no_other_question_is_answered_with_calls_that_are_foreign() {
    assert_own(QUESTIONS / 2..QUESTIONS).await;
}

/// Asks some of the questions.
async fn assert_own(places: std::ops::Range<usize>) {
    let world = World::new().await;
    let mut answered = 0;
    let asked = drawn(vec(asked(), QUESTIONS));
    let count = places.len();
    for asked in &asked[places] {
        let query = world.query(asked);
        let path = format!("/api/v1/usage{query}");
        let ask = || world.house.get(&path).by(&world.people[asked.by]);
        let mut answer = ask().await;
        // A slow disk may be behind with single calls.
        while answer.status == 503 {
            answer = ask().await;
        }
        if answer.status != 200 {
            let is_refused = [403, 404, 422].contains(&answer.status);
            let is_late = answer.body["code"] == "usage.too_long";
            assert!(is_refused && !is_late, "{asked:?} {query}: {answer:?}");
            continue;
        }
        answered += 1;
        world.assert_sums(asked, &answer.body);
        if let Some(compared) = answer.body.get("compared") {
            world.assert_sums(asked, compared);
        }
    }
    assert!(answered > count / 3, "{answered}");
}
