use std::collections::BTreeMap as Sorted;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tollgate_model::agent::Agent;
use tollgate_model::credential::CredentialKind;
use tollgate_model::id::{ApiId, ApplicationId, Id, OperationId, VersionId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Flags};
use tollgate_model::refusal::Refusal;
use tollgate_spool::Settings;

use super::*;
use crate::cube::Level;
use crate::losses::Loss;
use crate::write::{write, written};
use crate::{Answer, Dimension, Filter, Measures, Query, Row, Sight, Step, Time};

const HOUR_US: i64 = 60 * MINUTE_US;
const DAY_US: i64 = 24 * HOUR_US;

/// A worker's ring: recorded and not drained yet.
#[derive(Clone, Default)]
struct Ring {
    records: Arc<Mutex<Vec<Record>>>,
    overflow: Arc<Mutex<Vec<Overflow>>>,
}

impl Ring {
    fn note(&self, record: Record) {
        lock(&self.records).push(record);
    }
}

impl Source for Ring {
    fn worker(&self) -> u64 {
        7
    }

    fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        std::mem::take(&mut *lock(&self.records))
            .iter()
            .for_each(each);
    }

    fn overflow(&mut self) -> Vec<Overflow> {
        std::mem::take(&mut *lock(&self.overflow))
    }
}

/// Changed counters that are not written yet.
#[derive(Clone, Default)]
struct Changed(Arc<Mutex<Vec<Quota>>>);

impl Changed {
    fn note(&self, quotas: &[Quota]) {
        lock(&self.0).extend(quotas);
    }

    fn checkpoints(&self) -> Checkpoints {
        let changed = Arc::clone(&self.0);
        Box::new(move |_| std::mem::take(&mut *lock(&changed)))
    }
}

async fn quotas(usage: &Usage) -> Vec<Quota> {
    let mut loaded = usage.load_quotas().await.unwrap();
    loaded.sort_unstable();
    loaded
}

async fn last_batch(usage: &Usage) -> i64 {
    let mut reader = usage.0.readers.acquire().await.unwrap();
    written(&mut reader).await.unwrap()
}

/// A process with a running recorder.
struct Process {
    usage: Usage,
    ring: Ring,
    changed: Changed,
    stop: oneshot::Sender<()>,
    recorder: JoinHandle<()>,
}

impl Process {
    /// Starts on the folder's file; returns after the recorder's own first flush.
    async fn start(folder: &TempDir) -> Self {
        let usage = open(folder).await;
        let opened = last_batch(&usage).await;
        let ring = Ring::default();
        let (stop, stopped) = oneshot::channel();
        let sources: Vec<Box<dyn Source>> = vec![Box::new(ring.clone())];
        let changed = Changed::default();
        let recording = usage.clone().run(sources, changed.checkpoints(), async {
            stopped.await.unwrap_or_default();
        });
        let recorder = tokio::spawn(recording);
        while last_batch(&usage).await == opened {
            sleep(Duration::from_millis(1)).await;
        }
        Self {
            usage,
            ring,
            changed,
            stop,
            recorder,
        }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.recorder.await.unwrap();
        self.usage.0.spool.close();
    }

    /// Ends like a process that is killed long enough after its calls were drained: nothing more is
    /// written.
    async fn kill(self) {
        self.recorder.abort();
        self.recorder.await.unwrap_err();
        self.usage.0.spool.close();
    }
}

fn path(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("usage.db")
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

fn spool(folder: &TempDir) -> Arc<Spool> {
    spool_in_segments(folder, 1 << 26)
}

fn spool_in_segments(folder: &TempDir, segment_bytes: u64) -> Arc<Spool> {
    let spool = Spool::open(Settings {
        folder: folder.path().join("spool"),
        bytes_max: 1 << 30,
        kept: Duration::from_secs(7 * 86_400),
        free_bytes_min: 0,
        segment_bytes,
    });
    Arc::new(spool.unwrap())
}

/// Opens the folder's file with a new process of its spool.
async fn open(folder: &TempDir) -> Usage {
    Usage::open(&path(folder), spool(folder)).await.unwrap()
}

/// Opens the folder's file with a ring that nobody drains but queries and flushes.
async fn open_with_ring(folder: &TempDir) -> (Usage, Ring) {
    let usage = open(folder).await;
    let ring = Ring::default();
    lock(&usage.0.sources).push(Box::new(ring.clone()));
    (usage, ring)
}

fn call(at_us: i64) -> Record {
    Record {
        at_us,
        api: Some(ApiId::from_raw(1)),
        version: Some(VersionId::from_raw(2)),
        operation: Some(OperationId::from_raw(3)),
        application: Some(ApplicationId::from_raw(4)),
        status: 200,
        total_us: 1_000,
        before_us: 40,
        upstream_us: 900,
        mediate_us: 9,
        answered: Answered::new(AnsweredBy::Upstream, CacheUse::None),
        bytes_in: 10,
        bytes_out: 100,
        ..Record::default()
    }
}

fn everything(group_by: &[Dimension]) -> Query {
    Query {
        group_by: group_by.to_vec(),
        ..Query::of(0..i64::MAX)
    }
}

async fn rows(usage: &Usage, query: &Query) -> Vec<Row> {
    usage.query(query).await.unwrap().rows
}

async fn calls(usage: &Usage) -> u64 {
    let rows = rows(usage, &everything(&[])).await;
    rows.iter().map(|row| row.measures.calls).sum()
}

/// Calls as workers record them: few values of each kind, so that rows are shared.
fn records(from_us: i64, span_us: i64) -> impl Strategy<Value = Vec<Record>> {
    let record = (
        (0..span_us, 0..4_i64, 0..3_i64, 0..3_i64, 0..3_i64),
        prop::sample::select(vec![200, 404, 429, 503, 0]),
        (0..5_000_u32, 0..5_000_u32, 0..9_000_u64, 0..9_000_u64),
        any::<[bool; 4]>(),
        (
            any::<u16>(),
            prop::sample::select(&AnsweredBy::ALL[..]),
            prop::sample::select(&CacheUse::ALL[..]),
            prop::sample::select(vec![
                None,
                Some(CredentialKind::ApiKey),
                Some(CredentialKind::Token),
            ]),
        ),
    );
    let record = record.prop_map(move |(ids, status, sizes, bits, others)| {
        let (at_us, api, operation, application, plan) = ids;
        let (before_us, upstream_us, bytes_in, bytes_out) = sizes;
        // Many have no upstream.
        let upstream_us = upstream_us.saturating_sub(2_000);
        let mut flags = Flags::default();
        flags.set(Flags::MISMATCHED, bits[0]);
        flags.set(Flags::OVER, bits[1]);
        flags.set(Flags::SANDBOX, bits[2]);
        flags.set(Flags::CUT, bits[3]);
        Record {
            api: id(api),
            version: id(api * 10),
            operation: id(operation),
            application: id(application),
            plan: id(plan),
            credential: application * 100,
            credential_kind: others.3,
            agent: Agent::from_number(others.0 % 3),
            status,
            refusal: (status == 429).then_some(Refusal::ApiLimit),
            total_us: before_us + upstream_us + u32::from(others.0 % 100),
            before_us,
            upstream_us,
            upstream_status: if upstream_us > 1_000 { 200 } else { 0 },
            bytes_in,
            bytes_out,
            flags,
            mediate_us: others.0,
            answered: Answered::new(others.1, others.2),
            ..call(from_us + at_us)
        }
    });
    prop::collection::vec(record, 1..300)
}

fn id<K>(raw: i64) -> Option<Id<K>> {
    (raw != 0).then(|| Id::from_raw(raw))
}

/// A row in a form that sorts: its step, then its values, of unknown ones 0.
type Seen = (Option<i64>, [Option<i64>; 9], Measures, Vec<u32>);

fn seen(row: &Row) -> Seen {
    fn raw<K>(id: Option<Id<K>>) -> Option<i64> {
        id.map(Id::raw)
    }
    let values = [
        raw(row.api()),
        raw(row.version()),
        raw(row.operation()),
        raw(row.application()),
        raw(row.plan()),
        row.is_sandbox().map(i64::from),
        row.status().map(i64::from),
        row.refusal().map(|it| it.number().into()),
        row.cache().map(|it| it as i64),
    ];
    let percentiles = Time::ALL
        .iter()
        .filter_map(|time| row.percentile(*time, 0.9));
    (row.time_us, values, row.measures, percentiles.collect())
}

/// Groups and sums by definition, from the records themselves, in minutes of this range.
fn expected(records: &[Record], query: &Query, range: std::ops::Range<i64>) -> Vec<Seen> {
    let mut groups: Sorted<_, Vec<&Record>> = Sorted::new();
    let filter = &query.filter;
    for record in records {
        let by = record.application;
        let passes = range.contains(&record.at_us)
            && filter
                .statuses
                .as_ref()
                .is_none_or(|it| it.contains(&record.status))
            && filter
                .applications
                .as_ref()
                .is_none_or(|it| by.is_some_and(|id| it.contains(&id)))
            && filter.sight.as_ref().is_none_or(|sight| {
                record.api.is_some_and(|id| sight.apis.contains(&id))
                    || by.is_some_and(|id| sight.applications.contains(&id))
            });
        if passes {
            let step_us = query.step.map(|step| match step {
                Step::Minute => MINUTE_US,
                Step::Hour => HOUR_US,
                _ => DAY_US,
            });
            let time_us = step_us.map(|step_us| record.at_us - record.at_us % step_us);
            let values = values(record, &query.group_by);
            groups.entry((time_us, values)).or_default().push(record);
        }
    }
    let rows = groups.into_iter().map(|((time_us, values), records)| {
        let known = |place: usize, value: i64| place > 4 && place != 7 || value != 0;
        let mut shown = values;
        for (place, value) in shown.iter_mut().enumerate() {
            *value = value.filter(|it| known(place, *it));
        }
        let percentiles = query
            .percentiles
            .iter()
            .filter_map(|time| percentile(*time, &records));
        (time_us, shown, measures(&records), percentiles.collect())
    });
    rows.collect()
}

/// The values of the dimensions that are grouped by, in the order of [`seen`].
fn values(record: &Record, group_by: &[Dimension]) -> [Option<i64>; 9] {
    fn raw<K>(id: Option<Id<K>>) -> i64 {
        id.map_or(0, Id::raw)
    }
    let values = [
        (Dimension::Api, raw(record.api)),
        (Dimension::Version, raw(record.version)),
        (Dimension::Operation, raw(record.operation)),
        (Dimension::Application, raw(record.application)),
        (Dimension::Plan, raw(record.plan)),
        (
            Dimension::Environment,
            record.flags.has(Flags::SANDBOX).into(),
        ),
        (Dimension::Status, record.status.into()),
        (
            Dimension::Refusal,
            record.refusal.map_or(0, |it| it.number().into()),
        ),
        (Dimension::Cache, record.answered.cache() as i64),
    ];
    values.map(|(dimension, value)| group_by.contains(&dimension).then_some(value))
}

fn measures(records: &[&Record]) -> Measures {
    let count =
        |is_it: &dyn Fn(&Record) -> bool| records.iter().filter(|it| is_it(it)).count() as u64;
    let sum = |value: &dyn Fn(&Record) -> u64| records.iter().map(|it| value(it)).sum::<u64>();
    let max = |value: &dyn Fn(&Record) -> u64| records.iter().map(|it| value(it)).max().unwrap();
    let by = |by| count(&|it| it.answered.by() == by);
    let is_cached =
        |it: &Record| matches!(it.answered.cache().word(), "hit" | "stale" | "revalidated");
    let is_sent = |it: &Record| it.upstream_us > 0 || it.upstream_status > 0;
    let gateway_us = |it: &Record| {
        u64::from(if is_sent(it) {
            it.before_us
        } else {
            it.total_us
        })
    };
    Measures {
        calls: count(&|_| true),
        client_errors: count(&|it| it.status / 100 == 4),
        server_errors: count(&|it| it.status / 100 == 5),
        refused: count(&|it| it.refusal.is_some()),
        cut: count(&|it| it.flags.has(Flags::CUT)),
        mismatched: count(&|it| it.flags.has(Flags::MISMATCHED)),
        over: count(&|it| it.flags.has(Flags::OVER)),
        answered_upstream: by(AnsweredBy::Upstream),
        answered_policy: by(AnsweredBy::Policy),
        answered_mock: by(AnsweredBy::Mock),
        answered_preflight: by(AnsweredBy::Preflight),
        answered_gateway: by(AnsweredBy::Gateway),
        cache_answered: count(&is_cached),
        cache_missed: count(&|it| it.answered.cache().word() == "miss"),
        bytes_in: sum(&|it| it.bytes_in),
        bytes_out: sum(&|it| it.bytes_out),
        bytes_from_cache: sum(&|it| if is_cached(it) { it.bytes_out } else { 0 }),
        upstream_calls: count(&is_sent),
        total_us_sum: sum(&|it| it.total_us.into()),
        total_us_max: max(&|it| it.total_us.into()),
        upstream_us_sum: sum(&|it| it.upstream_us.into()),
        upstream_us_max: max(&|it| it.upstream_us.into()),
        gateway_us_sum: sum(&gateway_us),
        gateway_us_max: max(&gateway_us),
        mediate_us_sum: sum(&|it| it.mediate_us.into()),
    }
}

/// The exact nine tenths of a time.
fn percentile(time: Time, records: &[&Record]) -> Option<u32> {
    let is_sent = |it: &&&Record| it.upstream_us > 0 || it.upstream_status > 0;
    let mut times: Vec<u32> = match time {
        Time::Total => records.iter().map(|it| it.total_us).collect(),
        Time::Upstream => records
            .iter()
            .filter(is_sent)
            .map(|it| it.upstream_us)
            .collect(),
        Time::Gateway => {
            let us = |it: &&Record| {
                if is_sent(&it) {
                    it.before_us
                } else {
                    it.total_us
                }
            };
            records.iter().map(us).collect()
        }
    };
    times.sort_unstable();
    let rank = (times.len() as f64 * 0.9).ceil() as usize;
    times.get(rank.max(1) - 1).copied()
}

/// Asserts that an answer has the sums of the calls, and percentiles within two percent.
fn assert_answers(answer: &Answer, records: &[Record], query: &Query) -> Result<(), TestCaseError> {
    let mut rows: Vec<Seen> = answer.rows.iter().map(seen).collect();
    let mut expected = expected(records, query, answer.from_us..answer.to_us);
    for (row, expected) in rows.iter_mut().zip(&mut expected) {
        prop_assert_eq!(row.3.len(), expected.3.len());
        for (seen, exact) in row.3.drain(..).zip(expected.3.drain(..)) {
            let difference = f64::from(seen.abs_diff(exact));
            prop_assert!(
                difference <= f64::from(exact) * 0.02,
                "{} for {}",
                seen,
                exact
            );
        }
    }
    prop_assert_eq!(rows, expected);
    Ok(())
}

fn steps() -> impl Strategy<Value = Option<Step>> {
    prop::option::of(prop::sample::select(vec![Step::Hour, Step::Day]))
}

fn dimensions() -> impl Strategy<Value = Vec<Dimension>> {
    let few = prop::sample::subsequence(Dimension::ALL[..9].to_vec(), 0..=2);
    let many = prop::sample::subsequence(Dimension::ALL[..9].to_vec(), 0..=9);
    prop_oneof![2 => few, 1 => many]
}

fn queries(from_us: i64, span_us: i64) -> impl Strategy<Value = Query> {
    let lists = (
        prop::option::of(0..3_i64),
        prop::option::of(any::<bool>()),
        prop::option::of((0..3_i64, 0..2_i64)),
    );
    let percentiles = prop::sample::subsequence(Time::ALL.to_vec(), 0..=3);
    let range = (0..span_us, 0..span_us);
    let query = (steps(), dimensions(), range, lists, percentiles);
    query.prop_map(
        move |(step, group_by, (one, other), lists, percentiles)| Query {
            step,
            group_by,
            percentiles,
            filter: Filter {
                applications: lists
                    .0
                    .map(|count| (1..=count).map(ApplicationId::from_raw).collect()),
                statuses: lists
                    .1
                    .map(|is_empty| if is_empty { vec![] } else { vec![200, 0] }),
                sight: lists.2.map(|(apis, applications)| Sight {
                    apis: (1..=apis).map(ApiId::from_raw).collect(),
                    applications: (1..=applications).map(ApplicationId::from_raw).collect(),
                }),
                ..Filter::default()
            },
            ..Query::of(from_us + one.min(other)..from_us + one.max(other))
        },
    )
}

#[test]
fn cubes_and_calls_answer_every_query_like_the_records() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let span_us = 50 * HOUR_US;
    let from_us = now_us() - span_us;
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let cases = (
        records(from_us, span_us),
        prop::collection::vec(queries(from_us, span_us), 1..12),
    );
    runner
        .run(&cases, |(records, queries)| {
            runtime.block_on(async {
                let folder = folder();
                let (usage, ring) = open_with_ring(&folder).await;
                // One part is written, one is in memory, the rest is still in the ring.
                for (index, part) in records.chunks(records.len().div_ceil(3)).enumerate() {
                    part.iter().for_each(|record| ring.note(*record));
                    match index {
                        0 => usage.flush().await.unwrap(),
                        1 => usage.drain(),
                        _ => {}
                    }
                }
                for query in &queries {
                    assert_answers(&usage.query(query).await.unwrap(), &records, query)?;
                    let answer = usage.query_spool(query).await.unwrap();
                    assert_answers(&answer, &records, query)?;
                }
                usage.flush().await.unwrap();
                for query in &queries {
                    assert_answers(&usage.query(query).await.unwrap(), &records, query)?;
                }
                // As a process that is killed, and the next one.
                usage.0.spool.close();
                let usage = open(&folder).await;
                for query in &queries {
                    assert_answers(&usage.query(query).await.unwrap(), &records, query)?;
                }
                Ok(())
            })
        })
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_are_exact_during_concurrent_records_and_queries() {
    const CALLS: u64 = 30_000;
    let folder = folder();
    let usage = open(&folder).await;
    let rings: Vec<Ring> = std::iter::repeat_with(Ring::default).take(3).collect();
    let sources = rings
        .iter()
        .map(|ring| Box::new(ring.clone()) as Box<dyn Source>)
        .collect();
    let (stop, stopped) = oneshot::channel::<()>();
    let recording = usage.clone().run(sources, Box::new(|_| Vec::new()), async {
        stopped.await.unwrap_or_default();
    });
    let recorder = tokio::spawn(recording);
    let are_noting = Arc::new(AtomicBool::new(true));
    let asking = {
        let (usage, are_noting) = (usage.clone(), Arc::clone(&are_noting));
        tokio::spawn(async move {
            let mut last = 0;
            let mut questions = 0;
            // On a busy machine the first queries may outlast the recording.
            while are_noting.load(Ordering::Relaxed) || questions < 10 {
                let now = calls(&usage).await;
                assert!(last <= now && now <= 3 * CALLS, "{last} then {now}");
                last = now;
                questions += 1;
                if questions % 5 == 0 {
                    usage.flush().await.unwrap();
                }
            }
        })
    };
    let base_us = now_us();
    let workers = rings.into_iter().zip(1..).map(|(ring, worker)| {
        std::thread::spawn(move || {
            for number in 0..CALLS {
                let mut record = call(base_us + i64::try_from(number).unwrap() * 7_919);
                record.operation = Some(OperationId::from_raw(worker));
                ring.note(record);
                if number % 500 == 0 {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        tokio::task::spawn_blocking(|| worker.join().unwrap())
            .await
            .unwrap();
    }
    are_noting.store(false, Ordering::Relaxed);
    asking.await.unwrap();
    let rows = rows(&usage, &everything(&[Dimension::Operation])).await;
    assert_eq!(
        rows.iter()
            .map(|row| row.measures.calls)
            .collect::<Vec<_>>(),
        [CALLS; 3]
    );
    stop.send(()).unwrap();
    recorder.await.unwrap();
    drop(usage);
    assert_eq!(calls(&open(&folder).await).await, 3 * CALLS);
}

#[tokio::test]
async fn a_stopped_process_has_written_everything_and_lost_nothing() {
    let folder = folder();
    let first = Process::start(&folder).await;
    for _ in 0..100 {
        first.ring.note(call(now_us()));
    }
    first.stop().await;
    let second = Process::start(&folder).await;
    assert_eq!(calls(&second.usage).await, 100);
    assert_eq!(second.usage.losses().await.unwrap(), []);
}

#[tokio::test]
async fn the_recorder_drains_and_writes_by_itself() {
    let folder = folder();
    let process = Process::start(&folder).await;
    process.ring.note(call(now_us()));
    sleep(DRAIN_EVERY * 3).await;
    assert!(lock(&process.ring.records).is_empty());
    sleep(FLUSH_EVERY).await;
    process.kill().await;
    assert_eq!(calls(&open(&folder).await).await, 1);
}

#[tokio::test]
async fn a_killed_process_loses_what_was_not_spooled_and_the_loss_is_recorded() {
    let folder = folder();
    let first = Process::start(&folder).await;
    for _ in 0..100 {
        first.ring.note(call(now_us()));
    }
    first.changed.note(&[(1, 100, 0, i64::MAX, 1)]);
    let before_us = now_us();
    first.usage.flush().await.unwrap();
    first.ring.note(call(now_us()));
    first.changed.note(&[(1, 101, 0, i64::MAX, 1)]);
    assert_eq!(calls(&first.usage).await, 101, "in memory and in the spool");
    first.kill().await;

    let second = Process::start(&folder).await;
    assert_eq!(calls(&second.usage).await, 101);
    assert_eq!(quotas(&second.usage).await, [(1, 100, 0, i64::MAX, 1)]);
    let losses = second.usage.losses().await.unwrap();
    let [loss] = losses[..] else {
        panic!("{losses:?}")
    };
    assert_eq!((loss.reason, loss.calls), (Reason::UncleanStop, None));
    let second_us = 1_000_000;
    assert!(loss.from_us >= before_us - second_us && loss.from_us <= now_us());
    assert!(loss.to_us > loss.from_us && loss.to_us <= loss.from_us + 6 * second_us);
    second.stop().await;
    let third = Process::start(&folder).await;
    assert_eq!(
        third.usage.losses().await.unwrap(),
        [loss],
        "stated once, and kept"
    );
}

#[tokio::test]
async fn a_process_killed_before_its_first_flush_has_a_loss_too() {
    let folder = folder();
    let mut begun = Vec::new();
    for _ in 0..3 {
        let before_us = now_us();
        let usage = open(&folder).await;
        lock(&usage.0.memory).content.add(&call(now_us()), 0);
        usage.0.spool.close();
        begun.push(before_us..=now_us());
    }
    let losses = open(&folder).await.losses().await;
    let losses = losses.unwrap();
    assert_eq!(losses.len(), begun.len(), "{losses:?}");
    for (loss, begun) in losses.iter().zip(&begun) {
        assert_eq!(loss.reason, Reason::UncleanStop);
        assert!(begun.contains(&loss.from_us), "{loss:?}, {begun:?}");
    }
}

#[tokio::test]
async fn calls_beyond_a_full_ring_are_in_the_totals() {
    let folder = folder();
    let process = Process::start(&folder).await;
    let minute_us = now_us() / MINUTE_US * MINUTE_US;
    process.ring.note(call(minute_us));
    let overflow = |status, calls| Overflow {
        minute_us,
        api: Some(ApiId::from_raw(1)),
        version: None,
        status,
        calls,
    };
    lock(&process.ring.overflow).extend([overflow(200, 40), overflow(502, 2)]);
    for _ in 0..2 {
        let rows = rows(&process.usage, &everything(&[Dimension::Status])).await;
        let by_status: Vec<_> = rows
            .iter()
            .map(|row| (row.status(), row.measures.calls))
            .collect();
        assert_eq!(by_status, [(Some(200), 41), (Some(502), 2)]);
        let losses = process.usage.losses().await.unwrap();
        let [loss] = losses[..] else {
            panic!("{losses:?}")
        };
        assert_eq!((loss.reason, loss.calls), (Reason::RingFull, Some(42)));
        assert_eq!(
            (loss.from_us, loss.to_us),
            (minute_us, minute_us + MINUTE_US)
        );
        process.usage.flush().await.unwrap();
    }
}

/// Uses of the cache with the number of their calls in a test.
const USES: [(CacheUse, u64); 6] = [
    (CacheUse::None, 1),
    (CacheUse::Miss, 2),
    (CacheUse::Hit, 4),
    (CacheUse::Stale, 8),
    (CacheUse::Revalidated, 16),
    (CacheUse::Bypass, 32),
];

/// Asserts that the calls of [`USES`] are counted, each with the bytes of [`call`].
async fn assert_uses_are_counted(usage: &Usage) {
    let by_use = rows(usage, &everything(&[Dimension::Cache])).await;
    let seen: Vec<_> = by_use
        .iter()
        .map(|row| (row.cache().unwrap(), row.measures.calls))
        .collect();
    assert_eq!(seen, USES);
    let bytes: Vec<_> = by_use
        .iter()
        .map(|row| row.measures.bytes_from_cache)
        .collect();
    assert_eq!(bytes, [0, 0, 400, 800, 1_600, 0]);
    let rates: Vec<_> = by_use.iter().map(|row| row.measures.cache_rate()).collect();
    let all = Some(1.0);
    assert_eq!(rates, [None, Some(0.0), all, all, all, None]);
    let rows = rows(usage, &everything(&[])).await;
    assert_eq!(rows[0].measures.cache_rate(), Some(28.0 / 30.0));
}

#[tokio::test]
async fn uses_of_the_cache_are_counted_in_memory_in_the_file_and_in_old_hours() {
    for age_us in [0, 50 * HOUR_US] {
        let folder = folder();
        let process = Process::start(&folder).await;
        let at_us = now_us() - age_us;
        for (cache, calls) in USES {
            let record = Record {
                answered: Answered::new(AnsweredBy::Upstream, cache),
                refusal: (age_us == 0).then_some(Refusal::ApiLimit),
                ..call(at_us)
            };
            (0..calls).for_each(|_| process.ring.note(record));
        }
        lock(&process.ring.overflow).push(Overflow {
            minute_us: at_us,
            api: None,
            version: None,
            status: 200,
            calls: 64,
        });
        assert_uses_are_counted(&process.usage).await;
        for _ in 0..2 {
            process.usage.flush().await.unwrap();
            assert_uses_are_counted(&process.usage).await;
        }
        let rows = rows(&process.usage, &everything(&[Dimension::Refusal])).await;
        let refused: Vec<_> = rows
            .iter()
            .map(|row| (row.refusal(), row.measures.calls))
            .collect();
        match age_us {
            0 => assert_eq!(refused, [(None, 64), (Some(Refusal::ApiLimit), 63)]),
            _ => assert_eq!(refused, [(None, 127)]),
        }
        process.stop().await;
        assert_uses_are_counted(&open(&folder).await).await;
    }
}

/// Another connection to the folder's file, like that of a backup program.
async fn foreign(folder: &TempDir) -> sqlx::SqliteConnection {
    SqliteConnectOptions::new()
        .filename(path(folder))
        .connect()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_locked_file_blocks_nothing_and_loses_nothing() {
    let folder = folder();
    let process = Process::start(&folder).await;
    let mut foreign = foreign(&folder).await;
    sqlx::query("begin immediate")
        .execute(&mut foreign)
        .await
        .unwrap();
    process.ring.note(call(now_us()));
    process.changed.note(&[(1, 2, 0, i64::MAX, 1)]);
    assert!(matches!(process.usage.flush().await, Err(UsageError::Busy)));
    process.ring.note(call(now_us()));
    process.changed.note(&[(3, 4, 0, i64::MAX, 0)]);
    assert_eq!(calls(&process.usage).await, 2);
    let condition = process.usage.condition();
    assert!(condition.failing_since_us.is_some() && condition.failures >= 1);
    // The minute may have changed between the two.
    assert!((1..=2).contains(&condition.unwritten_rows));

    sqlx::query("rollback").execute(&mut foreign).await.unwrap();
    process.usage.flush().await.unwrap();
    assert_eq!(calls(&process.usage).await, 2);
    assert_eq!(process.usage.condition().failing_since_us, None);
    let written = quotas(&process.usage).await;
    assert_eq!(written, [(1, 2, 0, i64::MAX, 1), (3, 4, 0, i64::MAX, 0)]);
    process.stop().await;
    assert_eq!(calls(&open(&folder).await).await, 2);
}

#[tokio::test]
async fn a_start_after_a_kill_does_not_wait_for_a_locked_file() {
    let folder = folder();
    let first = Process::start(&folder).await;
    first.ring.note(call(now_us()));
    assert_eq!(calls(&first.usage).await, 1);
    first.kill().await;
    let mut foreign = foreign(&folder).await;
    sqlx::query("begin immediate")
        .execute(&mut foreign)
        .await
        .unwrap();
    let usage = timeout(Duration::from_secs(30), open(&folder))
        .await
        .unwrap();
    assert_eq!(calls(&usage).await, 0, "it is not counted yet");
    assert!(usage.complete_until_us() < now_us());
    sqlx::query("rollback").execute(&mut foreign).await.unwrap();
    usage.count_at_start().await;
    assert_eq!(calls(&usage).await, 1);
}

#[tokio::test]
async fn a_clock_that_is_set_back_makes_no_call_count_twice() {
    let folder = folder();
    let (usage, ring) = open_with_ring(&folder).await;
    let now_us = now_us();
    for at in 0..120 {
        ring.note(call(now_us - MINUTE_US + at * 1_000_000));
    }
    usage.flush().await.unwrap();
    // As if the clock had shown a later time before.
    lock(&usage.0.memory).open += 2;
    usage.flush().await.unwrap();
    ring.note(call(now_us));
    usage.flush().await.unwrap();
    assert_eq!(calls(&usage).await, 121);
    usage.0.spool.close();
    assert_eq!(calls(&open(&folder).await).await, 121);
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_recovers() {
    let folder = folder();
    let process = Process::start(&folder).await;
    // Of minutes that are over, so that they are written.
    let over_us = now_us() - 10 * MINUTE_US;
    process.ring.note(call(over_us));
    process.usage.flush().await.unwrap();
    // The engine's own limit fails like a full disk.
    process
        .usage
        .0
        .writer
        .lock()
        .await
        .limit_pages(Some(1))
        .await;
    for operation in 1..=5_000 {
        let operation = Some(OperationId::from_raw(operation << 40));
        process.ring.note(Record {
            operation,
            ..call(over_us)
        });
    }
    let full = process.usage.flush().await;
    assert!(matches!(full, Err(UsageError::Full)), "{full:?}");
    assert_eq!(calls(&process.usage).await, 5_001);
    process.ring.note(call(over_us));
    let again = process.usage.flush().await;
    assert!(matches!(again, Err(UsageError::Full)), "{again:?}");
    assert_eq!(calls(&process.usage).await, 5_002);
    assert!(process.usage.condition().failures >= 2);
    process.usage.0.writer.lock().await.limit_pages(None).await;
    process.usage.flush().await.unwrap();
    assert_eq!(
        process.usage.condition().unwritten_rows,
        0,
        "no minute is open"
    );
    process.stop().await;
    assert_eq!(calls(&open(&folder).await).await, 5_002);
}

#[tokio::test]
async fn a_process_killed_while_unable_to_write_has_lost_everything_since_its_last_flush() {
    let folder = folder();
    let first = Process::start(&folder).await;
    let mut foreign = foreign(&folder).await;
    sqlx::query("begin immediate")
        .execute(&mut foreign)
        .await
        .unwrap();
    first.ring.note(call(now_us()));
    assert!(first.usage.flush().await.is_err());
    first.kill().await;
    sqlx::query("rollback").execute(&mut foreign).await.unwrap();
    let long_after_us = now_us() + 24 * HOUR_US;
    let database = Database::open(&path(&folder), long_after_us, &[])
        .await
        .unwrap();
    assert_eq!(database.losses[0].to_us, long_after_us);
    let second = Process::start(&folder).await;
    second.stop().await;
    let clean = Database::open(&path(&folder), long_after_us, &[])
        .await
        .unwrap();
    assert_eq!(clean.losses, []);
    assert!(!crate::database::behind_mark(&path(&folder)).exists());
}

/// Checkpoints of this many counters.
fn quotas_of(counters: i64, word: i64) -> Vec<Quota> {
    let later_us = now_us() + HOUR_US;
    (1..=counters)
        .map(|counter| (counter, word, 0, later_us, 1))
        .collect()
}

async fn journaled_batches(usage: &Usage) -> i64 {
    let mut reader = usage.0.readers.acquire().await.unwrap();
    let count = sqlx::query_scalar("select count(*) from journal");
    count.fetch_one(&mut *reader).await.unwrap()
}

#[tokio::test]
async fn a_batch_with_an_unacknowledged_commit_is_counted_once() {
    for counters in [1, 2_000] {
        let folder = folder();
        let process = Process::start(&folder).await;
        for age_us in [0, 10 * MINUTE_US, 3 * HOUR_US] {
            process.ring.note(call(now_us() - age_us));
        }
        process.changed.note(&quotas_of(counters, 5));
        let mut writer = process.usage.0.writer.lock().await;
        let taken = process.usage.take(&mut writer, true);
        writer.begin_batch(taken, true);
        let batch = writer.batch.as_ref().unwrap();
        let mut file = foreign(&folder).await;
        write(&mut file, batch, &writer.pending, true)
            .await
            .unwrap();
        drop(writer);
        assert_eq!(calls(&process.usage).await, 3);
        process.usage.flush().await.unwrap();
        assert_eq!(calls(&process.usage).await, 3);
        process.kill().await;
        let usage = open(&folder).await;
        assert_eq!(calls(&usage).await, 3);
        assert_eq!(quotas(&usage).await.len(), counters as usize);
    }
}

#[tokio::test]
async fn many_checkpoints_are_journaled_and_survive_a_kill() {
    let folder = folder();
    let process = Process::start(&folder).await;
    for round in 1..=3 {
        process.changed.note(&quotas_of(2_000, round));
        process.usage.flush().await.unwrap();
    }
    assert!(
        journaled_batches(&process.usage).await >= 2,
        "a minute may have ended once"
    );
    let are_last = |quotas: Vec<Quota>| quotas.len() == 2_000 && quotas.iter().all(|it| it.1 == 3);
    assert!(are_last(quotas(&process.usage).await));
    process.kill().await;

    let usage = open(&folder).await;
    assert_eq!(journaled_batches(&usage).await, 0, "the start merged them");
    assert!(are_last(quotas(&usage).await));
}

#[tokio::test]
async fn the_journal_is_merged_when_the_minute_ends_and_at_a_stop() {
    let folder = folder();
    let process = Process::start(&folder).await;
    for round in 1..=2 {
        process.changed.note(&quotas_of(2_000, round));
        process.usage.flush().await.unwrap();
        // As if it had been another minute.
        process.usage.0.writer.lock().await.merged_minute -= 1;
        process.usage.flush().await.unwrap();
        assert_eq!(journaled_batches(&process.usage).await, 0);
        assert_eq!(quotas(&process.usage).await.len(), 2_000);
    }
    process.changed.note(&quotas_of(2_000, 3));
    process.usage.flush().await.unwrap();
    process.stop().await;
    let mut file = foreign(&folder).await;
    let sum = "select sum(word) from quotas where (select count(*) from journal) = 0";
    let sum: Option<i64> = sqlx::query_scalar(sum).fetch_one(&mut file).await.unwrap();
    assert_eq!(sum, Some(6_000));
}

/// Makes and deletes what is due at a time.
async fn go_on_until(usage: &Usage, at_us: i64) {
    let mut writer = usage.0.writer.lock().await;
    while upkeep::go_on(&mut writer, at_us).await.unwrap() == Progress::More {}
}

/// The levels of a cube that have rows.
async fn levels_of(usage: &Usage, cube: &str) -> Vec<i64> {
    const SQL: &str = "select distinct level from pages where cube = $1 order by 1";
    let mut reader = usage.0.readers.acquire().await.unwrap();
    let levels = sqlx::query_scalar(SQL).bind(cube);
    levels.fetch_all(&mut *reader).await.unwrap()
}

/// Writes a call a minute for two hours, as if time passed.
async fn write_two_hours(usage: &Usage, ring: &Ring, begun_us: i64) {
    for minute in 0..120 {
        ring.note(call(begun_us + minute * MINUTE_US));
    }
    usage.drain();
    let mut writer = usage.0.writer.lock().await;
    let taken = usage.take(&mut writer, false);
    writer.begin_batch(taken, true);
    usage.write_batch(&mut writer, true).await.unwrap();
}

#[tokio::test]
async fn minutes_become_hours_and_days_with_the_same_sums_and_expire() {
    let folder = folder();
    let (usage, ring) = open_with_ring(&folder).await;
    let begun_us = now_us();
    write_two_hours(&usage, &ring, begun_us).await;
    let query = Query {
        percentiles: Time::ALL.to_vec(),
        ..everything(&[Dimension::Version])
    };
    let before = rows(&usage, &query).await;
    assert_eq!(before[0].measures.calls, 120);
    assert_eq!(before[0].percentile(Time::Upstream, 0.5), Some(904));
    let mut kept = Vec::new();
    for days in [0, 1, 3, 36, 401] {
        go_on_until(&usage, begun_us + 4 * HOUR_US + days * DAY_US).await;
        if days < 401 {
            assert_eq!(rows(&usage, &query).await, before, "after {days} days");
        }
        kept.push(levels_of(&usage, "version").await);
    }
    let [minute, hour, day] = [Level::Minute, Level::Hour, Level::Day].map(Level::number);
    assert!(kept[0].starts_with(&[minute, hour]), "{kept:?}");
    assert_eq!(
        kept[1..4],
        [vec![minute, hour, day], vec![hour, day], vec![hour, day]]
    );
    // A day of which hours are left is not over by the clock of the file.
    assert!(kept[4].len() <= 1, "{kept:?}");
    // Hours that are so old have no percentiles any more, but the day has.
    let hours = Query {
        step: Some(Step::Hour),
        ..query.clone()
    };
    go_on_until(&usage, begun_us + 401 * DAY_US).await;
    assert!(rows(&usage, &hours).await.len() <= 1);
}

#[tokio::test]
async fn an_unreadable_page_is_a_loss_and_everything_else_is_answered() {
    const DAMAGE: &str = "update pages set sums = x'00' || sums \
         where cube = 'version' and level = 0 and start = $1";
    let folder = folder();
    let (usage, ring) = open_with_ring(&folder).await;
    let begun_us = now_us();
    write_two_hours(&usage, &ring, begun_us).await;
    let damaged = begun_us.div_euclid(MINUTE_US) + 7;
    let update = sqlx::query(DAMAGE).bind(damaged);
    let updated = update.execute(&mut foreign(&folder).await).await.unwrap();
    assert_eq!(updated.rows_affected(), 1);
    let query = Query {
        percentiles: Time::ALL.to_vec(),
        ..everything(&[Dimension::Version])
    };
    let loss = Loss {
        from_us: damaged * MINUTE_US,
        to_us: (damaged + 1) * MINUTE_US,
        reason: Reason::Damaged,
        calls: None,
    };
    assert_eq!(usage.losses().await.unwrap(), []);
    for _ in 0..2 {
        assert_eq!(rows(&usage, &query).await[0].measures.calls, 119);
        assert_eq!(usage.losses().await.unwrap(), [loss]);
    }
    // Its hour is made without it.
    go_on_until(&usage, begun_us + 4 * HOUR_US).await;
    let hours = Query {
        step: Some(Step::Hour),
        ..query
    };
    let hours = rows(&usage, &hours).await;
    let calls: u64 = hours.iter().map(|row| row.measures.calls).sum();
    assert_eq!(calls, 119);
    usage.flush().await.unwrap();
    assert_eq!(usage.losses().await.unwrap(), [loss]);
}

/// Changes the last byte of each segment.
fn damage_segments(folder: &TempDir) {
    for named in tollgate_spool::list(&folder.path().join("spool")).unwrap() {
        let mut bytes = std::fs::read(&named.path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&named.path, bytes).unwrap();
    }
}

#[tokio::test]
async fn damaged_calls_are_a_loss_once_a_query_reads_them() {
    let folder = folder();
    let spool = spool_in_segments(&folder, 1);
    let usage = Usage::open(&path(&folder), spool).await.unwrap();
    let ring = Ring::default();
    lock(&usage.0.sources).push(Box::new(ring.clone()));
    for _ in 0..3 {
        ring.note(call(now_us()));
        usage.drain();
        assert!(usage.0.spool.settle());
    }
    damage_segments(&folder);
    let query = everything(&[Dimension::Credential]);
    assert_eq!(usage.query_spool(&query).await.unwrap().rows, []);
    assert_eq!(calls(&usage).await, 3, "the cubes have them");
    let mut losses = Vec::new();
    while losses.is_empty() {
        sleep(DRAIN_EVERY).await;
        losses = usage.losses().await.unwrap();
    }
    let known: Vec<_> = losses
        .iter()
        .map(|loss| (loss.reason, loss.calls))
        .collect();
    assert_eq!(known, [(Reason::SpoolDamaged, Some(1)); 3]);
}

#[tokio::test]
async fn late_calls_are_added_to_hours_and_days_that_are_made() {
    let folder = folder();
    let (usage, ring) = open_with_ring(&folder).await;
    let late_us = now_us() - 30 * HOUR_US;
    // An hour and a day are written anew after some parts.
    for round in 1..=20 {
        for operation in 0..100 {
            ring.note(Record {
                operation: Some(OperationId::from_raw(1 + operation % (round * 30))),
                ..call(late_us)
            });
        }
        usage.flush().await.unwrap();
        for step in [None, Some(Step::Hour), Some(Step::Day)] {
            let query = Query {
                step,
                percentiles: vec![Time::Total],
                ..everything(&[Dimension::Operation])
            };
            let rows = rows(&usage, &query).await;
            let calls: u64 = rows.iter().map(|row| row.measures.calls).sum();
            assert_eq!(calls, 100 * round as u64, "{step:?}");
        }
    }
    const PARTS: &str = "select count(*) from pages where cube = 'operation' group by level";
    let mut reader = usage.0.readers.acquire().await.unwrap();
    let parts = sqlx::query_scalar(PARTS).fetch_all(&mut *reader).await;
    let parts: Vec<i64> = parts.unwrap();
    assert!(
        parts.len() == 2 && parts.iter().all(|it| *it <= 8),
        "{parts:?}"
    );
}

#[tokio::test]
async fn a_file_that_is_lost_is_counted_again_from_the_spool() {
    let folder = folder();
    let first = Process::start(&folder).await;
    let ages = [0, 2 * MINUTE_US, 5 * HOUR_US, 40 * HOUR_US];
    let first_us = now_us() - ages[3];
    for age_us in ages {
        first.ring.note(call(first_us + ages[3] - age_us));
    }
    first.stop().await;
    std::fs::remove_file(path(&folder)).unwrap();
    let anew = Usage::reopen(&path(&folder), spool(&folder)).await.unwrap();
    for step in [None, Some(Step::Hour)] {
        let query = Query {
            step,
            ..everything(&[Dimension::Operation])
        };
        let rows = rows(&anew, &query).await;
        assert_eq!(rows.iter().map(|row| row.measures.calls).sum::<u64>(), 4);
    }
    let losses = anew.losses().await.unwrap();
    let [loss] = losses[..] else {
        panic!("{losses:?}")
    };
    // Nothing before the first call of the spool is known.
    assert_eq!((loss.reason, loss.from_us), (Reason::Missing, 0));
    assert!(loss.to_us <= first_us, "{loss:?}");
}

#[tokio::test]
async fn figures_of_an_earlier_release_answer_and_their_calls_are_not_counted_again() {
    for has_spool in [true, false] {
        figures_of_an_earlier_release_answer(has_spool).await;
    }
}

async fn figures_of_an_earlier_release_answer(has_spool: bool) {
    let folder = folder();
    let first = Process::start(&folder).await;
    let at_us = now_us() - 50 * HOUR_US;
    first.ring.note(call(at_us));
    first.stop().await;
    // As that release left it: in its tables, and in the spool.
    let minute = at_us / MINUTE_US;
    let mut file = foreign(&folder).await;
    for table in ["usage_minutes", "usage_hours"] {
        let row = format!(
            "insert into {table} (minute, api, version, operation, application, status, outcome, \
             calls, bytes_in, bytes_out, total_us_sum, total_us_max, upstream_us_sum, \
             answered_upstream) values ({minute}, 1, 2, 3, 4, 503, 0, 1, 10, 100, 7, 7, 3, 1)"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(row));
        row.execute(&mut file).await.unwrap();
    }
    let clear = "delete from places; delete from pages; update state set has_cubes = 0";
    sqlx::raw_sql(clear).execute(&mut file).await.unwrap();
    drop(file);
    if !has_spool {
        // As that of a release before the spool.
        std::fs::remove_dir_all(folder.path().join("spool")).unwrap();
    }

    let (usage, ring) = open_with_ring(&folder).await;
    ring.note(call(now_us()));
    for group_by in [
        vec![],
        vec![Dimension::Version, Dimension::Status],
        vec![Dimension::Operation, Dimension::Application],
    ] {
        let rows = rows(&usage, &everything(&group_by)).await;
        let calls: u64 = rows.iter().map(|row| row.measures.calls).sum();
        assert_eq!(calls, 3, "{group_by:?}");
        let errors: u64 = rows.iter().map(|row| row.measures.server_errors).sum();
        assert_eq!(errors, 2);
    }
    go_on_until(&usage, now_us() + 401 * DAY_US).await;
    let mut reader = usage.0.readers.acquire().await.unwrap();
    let last = legacy::last(&mut reader).await.unwrap();
    assert_eq!(last, None, "they expire");
}

#[tokio::test]
async fn what_no_cube_covers_and_no_call_is_kept_of_is_refused_with_what_to_leave_out() {
    let folder = folder();
    let (usage, ring) = open_with_ring(&folder).await;
    ring.note(call(now_us() - 100 * HOUR_US));
    usage.flush().await.unwrap();
    usage.0.spool.close();
    std::fs::remove_dir_all(folder.path().join("spool")).unwrap();
    let (usage, ring) = open_with_ring(&folder).await;
    ring.note(call(now_us()));
    let group_by = [Dimension::Operation, Dimension::Cache, Dimension::Plan];
    let error = usage.query(&everything(&group_by)).await.unwrap_err();
    let UsageError::NoCube {
        surplus,
        since_us,
        has_halves: false,
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(surplus, [Dimension::Plan]);
    let query = Query {
        from_us: since_us,
        ..everything(&group_by)
    };
    assert_eq!(rows(&usage, &query).await.len(), 1);
}

#[tokio::test]
async fn checkpoints_are_replaced_and_deleted_after_their_window() {
    let folder = folder();
    let process = Process::start(&folder).await;
    let later_us = now_us() + HOUR_US;
    let many: Vec<_> = (10..5_010)
        .map(|id| (id, id * 2, id * 3, later_us, id % 2))
        .collect();
    let first = [(-1, i64::MIN, -1, later_us, 0), (2, 20, 0, now_us() - 1, 1)];
    for changed in [
        first.as_slice(),
        &[(-1, i64::MAX, i64::MIN, later_us, 1)],
        &many,
    ] {
        process.changed.note(changed);
        process.usage.flush().await.unwrap();
    }
    process.kill().await;
    let loaded = quotas(&open(&folder).await).await;
    assert_eq!(loaded[0], (-1, i64::MAX, i64::MIN, later_us, 1));
    assert_eq!(loaded[1..], many);
}

#[tokio::test]
async fn a_stop_leaves_one_complete_file_with_the_short_counters() {
    let folder = folder();
    let usage = open(&folder).await;
    let later_us = now_us() + HOUR_US;
    let short: Checkpoints = Box::new(move |is_running| match is_running {
        true => vec![(1, 1, 0, later_us, 1)],
        false => vec![(1, 1, 0, later_us, 1), (2, 2, 7, later_us, 1)],
    });
    let ring = Ring::default();
    ring.note(call(now_us()));
    let sources: Vec<Box<dyn Source>> = vec![Box::new(ring)];
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { stopped.await.unwrap_or_default() };
    let recorder = tokio::spawn(usage.clone().run(sources, short, stopped));
    assert_eq!(calls(&usage).await, 1, "a reader is open");
    stop.send(()).unwrap();
    recorder.await.unwrap();

    let copied = TempDir::new().unwrap();
    std::fs::copy(path(&folder), path(&copied)).unwrap();
    let copy = open(&copied).await;
    assert_eq!(calls(&copy).await, 1);
    assert_eq!(copy.losses().await.unwrap(), []);
    let expected = [(1, 1, 0, later_us, 1), (2, 2, 7, later_us, 1)];
    assert_eq!(quotas(&copy).await, expected);
}

#[tokio::test]
async fn a_missing_file_or_log_is_a_recorded_loss() {
    let folder = folder();
    open(&folder).await;
    let second = Process::start(&folder).await;
    second.ring.note(call(now_us()));
    second.usage.flush().await.unwrap();
    let lost = TempDir::new().unwrap();
    // Before the last connection is closed, which moves the log into the file.
    std::fs::copy(path(&folder), path(&lost)).unwrap();
    second.kill().await;
    let before_us = now_us();
    let without_log = open(&lost).await;
    assert_eq!(calls(&without_log).await, 0);
    let losses = without_log.losses().await.unwrap();
    let last = losses.last().unwrap();
    assert!(last.to_us >= before_us, "{losses:?}");

    let gone = TempDir::new().unwrap();
    let anew = Usage::reopen(&path(&gone), spool(&gone)).await.unwrap();
    let losses = anew.losses().await.unwrap();
    let reasons: Vec<_> = losses
        .iter()
        .map(|loss| (loss.reason, loss.from_us))
        .collect();
    assert_eq!(reasons, [(Reason::Missing, 0)]);
}
