use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tollgate_model::id::{ApiId, ApplicationId, OperationId, VersionId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Flags};
use tollgate_model::refusal::Refusal;

use super::*;
use crate::rollup::MINUTE_US;
use crate::write::write;
use crate::{AnsweredCalls, CachedCalls, Dimension, Filter, Reason, Sight, Step};

const HOUR_US: i64 = 60 * MINUTE_US;

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
    fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        std::mem::take(&mut *lock(&self.records))
            .iter()
            .for_each(each);
    }

    fn overflow(&mut self) -> Vec<Overflow> {
        std::mem::take(&mut *lock(&self.overflow))
    }

    fn losses(&mut self) -> Vec<Loss> {
        Vec::new()
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
        let usage = Usage::open(&path(folder)).await.unwrap();
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
    }

    /// Ends like a killed process: nothing more is written.
    async fn kill(self) {
        self.recorder.abort();
        self.recorder.await.unwrap_err();
    }
}

fn path(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("usage.db")
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
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
        from_us: 0,
        to_us: i64::MAX,
        step: None,
        group_by: group_by.to_vec(),
        filter: Filter::default(),
    }
}

async fn calls(usage: &Usage) -> u64 {
    let rows = usage.query(&everything(&[])).await.unwrap();
    rows.iter().map(|row| row.calls).sum()
}

/// Calls as workers record them: few values of each kind, so that rows are shared.
fn records(from_us: i64) -> impl Strategy<Value = Vec<Record>> {
    let record = (
        (0..4 * HOUR_US, 0..4_i64, 0..3_i64, 0..3_i64),
        prop::sample::select(vec![200, 404, 429, 0]),
        (0..5_000_u32, 0..5_000_u32, 0..9_000_u64, 0..9_000_u64),
        (proptest::bool::ANY, proptest::bool::ANY),
        (
            any::<u16>(),
            answered_by(),
            prop::sample::select(&CacheUse::ALL[..]),
        ),
    );
    let record = record.prop_map(
        move |((at_us, api, operation, application), status, sizes, bits, mediation)| {
            fn known<K>(raw: i64) -> Option<tollgate_model::id::Id<K>> {
                (raw != 0).then(|| tollgate_model::id::Id::from_raw(raw))
            }
            let (total_us, upstream_us, bytes_in, bytes_out) = sizes;
            let mut flags = Flags::default();
            flags.set(Flags::MISMATCHED, bits.0);
            flags.set(Flags::OVER, bits.1);
            Record {
                api: known(api),
                version: known(api * 10),
                operation: known(operation),
                application: known(application),
                status,
                refusal: (status == 429).then_some(Refusal::ApiLimit),
                total_us,
                upstream_us,
                bytes_in,
                bytes_out,
                flags,
                mediate_us: mediation.0,
                answered: Answered::new(mediation.1, mediation.2),
                ..call(from_us + at_us)
            }
        },
    );
    prop::collection::vec(record, 1..300)
}

fn answered_by() -> impl Strategy<Value = AnsweredBy> {
    prop::sample::select(vec![
        AnsweredBy::Gateway,
        AnsweredBy::Upstream,
        AnsweredBy::Policy,
        AnsweredBy::Mock,
        AnsweredBy::Preflight,
    ])
}

/// Groups and sums by definition, from the records themselves.
fn expected(records: &[Record], query: &Query) -> Vec<Row> {
    let mut rows: HashMap<[i64; 8], Row> = HashMap::new();
    let filter = &query.filter;
    for record in records {
        let minute_us = record.at_us.div_euclid(MINUTE_US) * MINUTE_US;
        let passes = minute_us + MINUTE_US > query.from_us
            && minute_us < query.to_us
            && filter
                .statuses
                .as_ref()
                .is_none_or(|it| it.contains(&record.status))
            && filter
                .applications
                .as_ref()
                .is_none_or(|it| record.application.is_some_and(|id| it.contains(&id)))
            && filter.sight.as_ref().is_none_or(|sight| {
                let by = record.application;
                record.api.is_some_and(|id| sight.apis.contains(&id))
                    || by.is_some_and(|id| sight.applications.contains(&id))
            });
        if !passes {
            continue;
        }
        let by = |dimension| query.group_by.contains(&dimension);
        let mut row = Row {
            time_us: query.step.map(|step| match step {
                Step::Minute => minute_us,
                Step::Hour => minute_us - minute_us % HOUR_US,
                Step::Day => minute_us - minute_us % (24 * HOUR_US),
            }),
            api: record.api.filter(|_| by(Dimension::Api)),
            version: record.version.filter(|_| by(Dimension::Version)),
            operation: record.operation.filter(|_| by(Dimension::Operation)),
            application: record.application.filter(|_| by(Dimension::Application)),
            status: by(Dimension::Status).then_some(record.status),
            refusal: record.refusal.filter(|_| by(Dimension::Refusal)),
            cache: by(Dimension::Cache).then_some(record.answered.cache()),
            calls: 1,
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            total_us_sum: record.total_us.into(),
            total_us_max: record.total_us.into(),
            upstream_us_sum: record.upstream_us.into(),
            mismatched: record.flags.has(Flags::MISMATCHED).into(),
            over: record.flags.has(Flags::OVER).into(),
            mediate_us_sum: record.mediate_us.into(),
            answered: AnsweredCalls {
                gateway: (record.answered.by() == AnsweredBy::Gateway).into(),
                upstream: (record.answered.by() == AnsweredBy::Upstream).into(),
                policy: (record.answered.by() == AnsweredBy::Policy).into(),
                mock: (record.answered.by() == AnsweredBy::Mock).into(),
                preflight: (record.answered.by() == AnsweredBy::Preflight).into(),
            },
            cached: cached(record),
        };
        let place = place(&row);
        if let Some(before) = rows.get(&place) {
            row.calls += before.calls;
            row.bytes_in += before.bytes_in;
            row.bytes_out += before.bytes_out;
            row.total_us_sum += before.total_us_sum;
            row.total_us_max = row.total_us_max.max(before.total_us_max);
            row.upstream_us_sum += before.upstream_us_sum;
            row.mismatched += before.mismatched;
            row.over += before.over;
            row.mediate_us_sum += before.mediate_us_sum;
            row.answered.gateway += before.answered.gateway;
            row.answered.upstream += before.answered.upstream;
            row.answered.policy += before.answered.policy;
            row.answered.mock += before.answered.mock;
            row.answered.preflight += before.answered.preflight;
            row.cached.answered += before.cached.answered;
            row.cached.missed += before.cached.missed;
            row.cached.bytes += before.cached.bytes;
        }
        rows.insert(place, row);
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by_key(place);
    rows
}

fn cached(record: &Record) -> CachedCalls {
    let is_answered = matches!(
        record.answered.cache().word(),
        "hit" | "stale" | "revalidated"
    );
    CachedCalls {
        answered: is_answered.into(),
        missed: (record.answered.cache().word() == "miss").into(),
        bytes: if is_answered { record.bytes_out } else { 0 },
    }
}

/// The sort key of a row in a result.
fn place(row: &Row) -> [i64; 8] {
    [
        row.time_us.unwrap_or(0),
        row.api.map_or(0, |id| id.raw()),
        row.version.map_or(0, |id| id.raw()),
        row.operation.map_or(0, |id| id.raw()),
        row.application.map_or(0, |id| id.raw()),
        row.status.map_or(0, i64::from),
        row.refusal.map_or(0, |refusal| refusal.number().into()),
        row.cache.map_or(0, |cache| cache as i64),
    ]
}

fn steps() -> impl Strategy<Value = Option<Step>> {
    prop::option::of(prop::sample::select(vec![
        Step::Minute,
        Step::Hour,
        Step::Day,
    ]))
}

fn dimensions() -> impl Strategy<Value = Vec<Dimension>> {
    prop::sample::subsequence(
        vec![
            Dimension::Api,
            Dimension::Version,
            Dimension::Operation,
            Dimension::Application,
            Dimension::Status,
            Dimension::Refusal,
            Dimension::Cache,
        ],
        0..=7,
    )
}

#[test]
fn sums_match_the_records_for_every_query() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let from_us = now_us() - 6 * HOUR_US;
    let range = (0..6 * HOUR_US, 0..6 * HOUR_US);
    let lists = (
        prop::option::of(0..3_i64),
        prop::option::of(any::<bool>()),
        prop::option::of((0..3_i64, 0..2_i64)),
    );
    let groups = (steps(), dimensions());
    let question = (records(from_us), groups, range, lists);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(
            &question,
            |(records, (step, group_by), (first_us, second_us), lists)| {
                let query = Query {
                    from_us: from_us + first_us.min(second_us),
                    to_us: from_us + first_us.max(second_us),
                    step,
                    group_by,
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
                };
                runtime.block_on(async {
                    let folder = folder();
                    let usage = Usage::open(&path(&folder)).await.unwrap();
                    let ring = Ring::default();
                    lock(&usage.0.sources).push(Box::new(ring.clone()));
                    // One part is written, one is in memory, the rest is still in the ring.
                    for (index, part) in records.chunks(records.len().div_ceil(3)).enumerate() {
                        part.iter().for_each(|record| ring.note(*record));
                        match index {
                            0 => usage.flush().await.unwrap(),
                            1 => usage.drain(),
                            _ => {}
                        }
                    }
                    let seen = usage.query(&query).await.unwrap();
                    prop_assert_eq!(&seen, &expected(&records, &query));
                    usage.flush().await.unwrap();
                    prop_assert_eq!(usage.query(&query).await.unwrap(), seen);
                    Ok(())
                })
            },
        )
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_are_exact_during_concurrent_records_and_queries() {
    const CALLS: u64 = 30_000;
    let folder = folder();
    let usage = Usage::open(&path(&folder)).await.unwrap();
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
    let rows = usage
        .query(&everything(&[Dimension::Operation]))
        .await
        .unwrap();
    assert_eq!(
        rows.iter().map(|row| row.calls).collect::<Vec<_>>(),
        [CALLS; 3]
    );
    stop.send(()).unwrap();
    recorder.await.unwrap();
    drop(usage);
    assert_eq!(
        calls(&Usage::open(&path(&folder)).await.unwrap()).await,
        3 * CALLS
    );
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
    assert_eq!(calls(&Usage::open(&path(&folder)).await.unwrap()).await, 1);
}

#[tokio::test]
async fn a_killed_process_loses_unwritten_data_and_the_loss_is_recorded() {
    let folder = folder();
    let first = Process::start(&folder).await;
    for _ in 0..100 {
        first.ring.note(call(now_us()));
    }
    first.changed.note(&[(1, 100, 0, i64::MAX, 1)]);
    let before_us = now_us();
    first.usage.flush().await.unwrap();
    let after_us = now_us();
    first.ring.note(call(now_us()));
    first.changed.note(&[(1, 101, 0, i64::MAX, 1)]);
    assert_eq!(calls(&first.usage).await, 101, "in memory only");
    first.kill().await;

    let second = Process::start(&folder).await;
    assert_eq!(calls(&second.usage).await, 100);
    // The recorded loss applies to quotas too: they were written at the same moment.
    assert_eq!(quotas(&second.usage).await, [(1, 100, 0, i64::MAX, 1)]);
    let losses = second.usage.losses().await.unwrap();
    let [loss] = losses[..] else {
        panic!("{losses:?}")
    };
    assert_eq!((loss.reason, loss.calls), (Reason::UncleanStop, None));
    assert!((before_us..=after_us).contains(&loss.from_us));
    assert!(loss.to_us > loss.from_us && loss.to_us <= loss.from_us + 5_000_000);
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
        let usage = Usage::open(&path(&folder)).await.unwrap();
        lock(&usage.0.memory).add(&call(now_us()));
        begun.push(before_us..=now_us());
    }
    let losses = Usage::open(&path(&folder)).await.unwrap().losses().await;
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
        let rows = process
            .usage
            .query(&everything(&[Dimension::Status]))
            .await
            .unwrap();
        let by_status: Vec<_> = rows.iter().map(|row| (row.status, row.calls)).collect();
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

/// Asserts that the calls of [`USES`], and `others` more without a use, are counted, each call with
/// the bytes of [`call`].
async fn assert_uses_are_counted(usage: &Usage, others: u64) {
    let rows = usage.query(&everything(&[Dimension::Cache])).await.unwrap();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.cache.unwrap(), row.calls))
        .collect();
    let mut uses = USES;
    uses[0].1 += others;
    assert_eq!(seen, uses);
    let bytes: Vec<_> = rows.iter().map(|row| row.cached.bytes).collect();
    assert_eq!(bytes, [0, 0, 400, 800, 1_600, 0]);
    let rates: Vec<_> = rows.iter().map(|row| row.cached.rate()).collect();
    let all = Some(1.0);
    assert_eq!(rates, [None, Some(0.0), all, all, all, None]);
    let rows = usage.query(&everything(&[])).await.unwrap();
    assert_eq!(rows[0].cached.rate(), Some(28.0 / 30.0));
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
                // With and without a refusal, which shares a column with the cache's use.
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
        assert_uses_are_counted(&process.usage, 64).await;
        for _ in 0..2 {
            process.usage.flush().await.unwrap();
            assert_uses_are_counted(&process.usage, 64).await;
        }
        let refusal = everything(&[Dimension::Refusal]);
        let rows = process.usage.query(&refusal).await.unwrap();
        let refused: Vec<_> = rows.iter().map(|row| (row.refusal, row.calls)).collect();
        match age_us {
            0 => assert_eq!(refused, [(None, 64), (Some(Refusal::ApiLimit), 63)]),
            _ => assert_eq!(refused, [(None, 127)]),
        }
        process.stop().await;
        assert_uses_are_counted(&Usage::open(&path(&folder)).await.unwrap(), 64).await;
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
    assert_eq!(
        condition.unwritten_rows, 2,
        "one in the batch that failed, one since"
    );

    sqlx::query("rollback").execute(&mut foreign).await.unwrap();
    process.usage.flush().await.unwrap();
    assert_eq!(calls(&process.usage).await, 2);
    assert_eq!(process.usage.condition().failing_since_us, None);
    let written = quotas(&process.usage).await;
    assert_eq!(written, [(1, 2, 0, i64::MAX, 1), (3, 4, 0, i64::MAX, 0)]);
    process.stop().await;
    assert_eq!(calls(&Usage::open(&path(&folder)).await.unwrap()).await, 2);
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_recovers() {
    let folder = folder();
    let process = Process::start(&folder).await;
    process.ring.note(call(now_us()));
    process.usage.flush().await.unwrap();
    // The engine's own limit fails like a full disk.
    process
        .usage
        .0
        .writer
        .lock()
        .await
        .limit_pages(Some(20))
        .await;
    for operation in 1..=5_000 {
        let operation = Some(OperationId::from_raw(operation << 40));
        process.ring.note(Record {
            operation,
            ..call(now_us())
        });
    }
    let full = process.usage.flush().await;
    assert!(matches!(full, Err(UsageError::Full)), "{full:?}");
    assert_eq!(calls(&process.usage).await, 5_001);
    process.ring.note(call(now_us()));
    let again = process.usage.flush().await;
    assert!(matches!(again, Err(UsageError::Full)), "{again:?}");
    assert_eq!(calls(&process.usage).await, 5_002);
    assert!(process.usage.condition().failures >= 2);
    process.usage.0.writer.lock().await.limit_pages(None).await;
    process.usage.flush().await.unwrap();
    assert_eq!(process.usage.condition().unwritten_rows, 0);
    process.stop().await;
    assert_eq!(
        calls(&Usage::open(&path(&folder)).await.unwrap()).await,
        5_002
    );
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
    let database = Database::open(&path(&folder), long_after_us).await.unwrap();
    assert_eq!(database.losses[0].to_us, long_after_us);
    let second = Process::start(&folder).await;
    second.stop().await;
    let clean = Database::open(&path(&folder), long_after_us).await.unwrap();
    assert_eq!(clean.losses, []);
    assert!(!crate::database::behind_mark(&path(&folder)).exists());
}

/// Calls of this many operations, one row each.
fn calls_of(operations: i64) -> impl Iterator<Item = Record> {
    (1..=operations).map(|operation| Record {
        operation: Some(OperationId::from_raw(operation)),
        ..call(now_us())
    })
}

async fn journaled_batches(usage: &Usage) -> i64 {
    let mut reader = usage.0.readers.acquire().await.unwrap();
    let count = sqlx::query_scalar("select count(*) from journal");
    count.fetch_one(&mut *reader).await.unwrap()
}

#[tokio::test]
async fn a_batch_with_an_unacknowledged_commit_is_counted_once() {
    for rows in [1, 2_000] {
        let folder = folder();
        let process = Process::start(&folder).await;
        let mut content = Rollup::default();
        calls_of(rows).for_each(|record| content.add(&record));
        let expected = u64::try_from(rows).unwrap();
        let mut writer = process.usage.0.writer.lock().await;
        writer.begin_batch(content, Vec::new(), now_us(), true);
        let batch = writer.batch.as_ref().unwrap();
        let mut file = foreign(&folder).await;
        write(&mut file, batch, &writer.pending, true)
            .await
            .unwrap();
        drop(writer);
        assert_eq!(calls(&process.usage).await, expected);
        process.usage.flush().await.unwrap();
        assert_eq!(calls(&process.usage).await, expected);
        process.kill().await;
        let usage = Usage::open(&path(&folder)).await.unwrap();
        assert_eq!(calls(&usage).await, expected);
    }
}

#[tokio::test]
async fn many_rows_are_journaled_and_survive_a_kill() {
    let folder = folder();
    let process = Process::start(&folder).await;
    let later_us = now_us() + HOUR_US;
    for round in 1..=3 {
        calls_of(2_000).for_each(|record| process.ring.note(record));
        process.changed.note(&[(7, round, 0, later_us, 1)]);
        process.usage.flush().await.unwrap();
    }
    assert!(
        journaled_batches(&process.usage).await >= 2,
        "a minute may have ended once"
    );
    assert_eq!(calls(&process.usage).await, 6_000);
    assert_eq!(quotas(&process.usage).await, [(7, 3, 0, later_us, 1)]);
    process.kill().await;

    let usage = Usage::open(&path(&folder)).await.unwrap();
    assert_eq!(journaled_batches(&usage).await, 0, "the start merged them");
    assert_eq!(calls(&usage).await, 6_000);
    assert_eq!(quotas(&usage).await, [(7, 3, 0, later_us, 1)]);
}

#[tokio::test]
async fn the_journal_is_merged_when_the_minute_ends_and_at_a_stop() {
    let folder = folder();
    let process = Process::start(&folder).await;
    for expected in [2_000, 4_000] {
        calls_of(2_000).for_each(|record| process.ring.note(record));
        process.usage.flush().await.unwrap();
        assert_eq!(calls(&process.usage).await, expected);
        // As if it had been another minute.
        process.usage.0.writer.lock().await.merged_minute -= 1;
        process.usage.flush().await.unwrap();
        assert_eq!(journaled_batches(&process.usage).await, 0);
        assert_eq!(calls(&process.usage).await, expected);
    }
    calls_of(2_000).for_each(|record| process.ring.note(record));
    process.usage.flush().await.unwrap();
    process.stop().await;
    let mut file = foreign(&folder).await;
    let sum = "select sum(calls) from usage_minutes where (select count(*) from journal) = 0";
    let sum: Option<i64> = sqlx::query_scalar(sum).fetch_one(&mut file).await.unwrap();
    assert_eq!(sum, Some(6_000));
}

#[tokio::test]
async fn old_minutes_become_hours_with_the_same_sums_and_old_hours_are_deleted() {
    let folder = folder();
    let usage = Usage::open(&path(&folder)).await.unwrap();
    let ring = Ring::default();
    lock(&usage.0.sources).push(Box::new(ring.clone()));
    let now_us = now_us();
    let ages = [0, 30, 47, 50, 51, 500, 401 * 24].map(|hours| now_us - hours * HOUR_US);
    for (at_us, count) in ages.into_iter().zip(1..) {
        (0..count).for_each(|minute| ring.note(call(at_us - at_us % HOUR_US + minute * MINUTE_US)));
    }
    let by_minute = Query {
        step: Some(Step::Minute),
        ..everything(&[])
    };
    assert_eq!(usage.query(&by_minute).await.unwrap().len(), 28);
    let kept = Query {
        from_us: ages[5] - HOUR_US,
        ..everything(&[])
    };
    let sums = usage.query(&kept).await.unwrap();
    // One hour is folded with each flush: four are old enough, and then the oldest is deleted.
    for _ in 0..5 {
        usage.flush().await.unwrap();
    }
    assert_eq!(usage.query(&kept).await.unwrap(), sums);
    let rows = usage.query(&by_minute).await.unwrap();
    let seen: Vec<u64> = rows.iter().map(|row| row.calls).collect();
    assert_eq!(seen, [6, 5, 4, 1, 1, 1, 1, 1, 1]);
    assert!(
        rows[..3]
            .iter()
            .all(|row| row.time_us.unwrap() % HOUR_US == 0)
    );
    // An hour counts as soon as the range touches it.
    let query = Query {
        from_us: ages[3],
        to_us: ages[3] + 1,
        ..everything(&[])
    };
    assert_eq!(usage.query(&query).await.unwrap()[0].calls, 4);
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
    let loaded = quotas(&Usage::open(&path(&folder)).await.unwrap()).await;
    assert_eq!(loaded[0], (-1, i64::MAX, i64::MIN, later_us, 1));
    assert_eq!(loaded[1..], many);
}

#[tokio::test]
async fn a_stop_leaves_one_complete_file_with_the_short_counters() {
    let folder = folder();
    let usage = Usage::open(&path(&folder)).await.unwrap();
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
    let copy = Usage::open(&path(&copied)).await.unwrap();
    assert_eq!(calls(&copy).await, 1);
    assert_eq!(copy.losses().await.unwrap(), []);
    let expected = [(1, 1, 0, later_us, 1), (2, 2, 7, later_us, 1)];
    assert_eq!(quotas(&copy).await, expected);
}

#[tokio::test]
async fn a_missing_file_or_log_is_a_recorded_loss() {
    let folder = folder();
    Usage::open(&path(&folder)).await.unwrap();
    let second = Process::start(&folder).await;
    second.ring.note(call(now_us()));
    second.usage.flush().await.unwrap();
    let lost = TempDir::new().unwrap();
    // Before the last connection is closed, which moves the log into the file.
    std::fs::copy(path(&folder), path(&lost)).unwrap();
    second.kill().await;
    let before_us = now_us();
    let without_log = Usage::open(&path(&lost)).await.unwrap();
    assert_eq!(calls(&without_log).await, 0);
    let losses = without_log.losses().await.unwrap();
    let last = losses.last().unwrap();
    assert!(last.to_us >= before_us, "{losses:?}");

    let gone = TempDir::new().unwrap();
    let anew = Usage::reopen(&path(&gone)).await.unwrap();
    let losses = anew.losses().await.unwrap();
    let reasons: Vec<_> = losses
        .iter()
        .map(|loss| (loss.reason, loss.from_us))
        .collect();
    assert_eq!(reasons, [(Reason::Missing, 0)]);
}

#[test]
#[ignore = "a measurement: cargo test --release -p tollgate-analytics -- --ignored --nocapture"]
fn time_of_a_flush_of_ten_thousand_rows() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let folder = folder();
        let usage = Usage::open(&path(&folder)).await.unwrap();
        for round in 0..20 {
            for number in 0..10_000 {
                lock(&usage.0.memory).add(&Record {
                    operation: Some(OperationId::from_raw((number % 2_000) << 40)),
                    application: Some(ApplicationId::from_raw((number / 2_000) << 40)),
                    ..call(now_us() - (round / 10) * MINUTE_US)
                });
            }
            let before = std::time::Instant::now();
            usage.flush().await.unwrap();
            println!("round {round}: {:?}", before.elapsed());
        }
    });
}
