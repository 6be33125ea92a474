use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tollgate_model::id::{ApiId, ApplicationId, VersionId};
use tollgate_model::record::{Record, request_id};
use tollgate_spool::Settings;

use super::*;
use crate::query::Sight;

/// Calls of a process.
const CALLS: u64 = 300;
const WORKERS: [u64; 2] = [7, 1 << 63];

fn open(folder: &Path) -> Spool {
    let settings = Settings {
        folder: folder.to_owned(),
        bytes_max: 1 << 30,
        // Calls of 1970 are kept.
        kept: Duration::from_secs(200 * 365 * 86_400),
        free_bytes_min: 0,
        segment_bytes: 4_096,
    };
    Spool::open(settings).unwrap()
}

fn record(number: u64) -> Record {
    Record {
        at_us: 1_000_000 * number.cast_signed(),
        number,
        api: Some(ApiId::from_raw(1 + number as i64 % 3)),
        version: Some(VersionId::from_raw(10 + number as i64 % 3)),
        application: (!number.is_multiple_of(5))
            .then(|| ApplicationId::from_raw(20 + number as i64 % 5)),
        status: if number.is_multiple_of(7) { 404 } else { 200 },
        ..Record::default()
    }
}

/// The worker of a call: 40 in a row have the same.
fn worker_of(number: u64) -> u64 {
    WORKERS[(number % CALLS / 40 % 2) as usize]
}

/// A spool with the calls of two processes, in several blocks and segments. Every tenth call ends
/// long after it began.
fn spool(folder: &Path) -> Spool {
    for process in 0..2 {
        let spool = open(folder);
        let (mut late, mut numbers) = (Vec::new(), process * CALLS..(process + 1) * CALLS);
        while !numbers.is_empty() {
            let worker = worker_of(numbers.start);
            let mut recording = spool.recording(worker);
            for number in numbers.by_ref().take(40) {
                match number % 10 {
                    0 => late.push((worker, number)),
                    _ => drop(recording.push(&record(number))),
                }
            }
            drop(recording);
            spool.settle();
        }
        for (worker, number) in late {
            spool.recording(worker).push(&record(number));
        }
        spool.close();
    }
    open(folder)
}

fn query(filter: Filter) -> CallsQuery {
    CallsQuery {
        range_us: 0..i64::MAX,
        filter,
        before: None,
        limit: 1_000,
        by: None,
    }
}

fn search(spool: &Spool, query: &CallsQuery) -> Result<CallsPage, UsageError> {
    let deadline = Instant::now() + Duration::from_secs(60);
    Search {
        spool,
        query,
        deadline,
    }
    .run()
}

/// The numbers of the calls that a query finds.
fn numbers(spool: &Spool, query: &CallsQuery) -> Vec<u64> {
    let page = search(spool, query).unwrap();
    assert_eq!(page.next, None);
    page.calls.iter().map(|it| it.record.number).collect()
}

#[test]
fn pages_follow_each_other_from_the_newest_call_to_the_oldest() {
    let folder = TempDir::new().unwrap();
    let spool = spool(folder.path());
    let all = numbers(&spool, &query(Filter::default()));
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..2 * CALLS).collect::<Vec<_>>());
    assert!(all[0] >= CALLS && *all.last().unwrap() < CALLS, "{all:?}");

    let (mut paged, mut before) = (Vec::new(), None);
    loop {
        let query = CallsQuery {
            before,
            limit: 37,
            ..query(Filter::default())
        };
        let page = search(&spool, &query).unwrap();
        assert!(page.calls.len() <= 37);
        paged.extend(page.calls.iter().map(|it| it.record.number));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(paged, all);
}

#[test]
fn calls_pass_the_filter_the_range_and_the_sight() {
    let folder = TempDir::new().unwrap();
    let spool = spool(folder.path());
    let expected = |passes: &dyn Fn(u64) -> bool| (0..2 * CALLS).filter(|it| passes(*it)).count();
    let found = |filter: Filter| numbers(&spool, &query(filter)).len();
    let of_application = Filter {
        applications: Some(vec![ApplicationId::from_raw(21)]),
        statuses: Some(vec![404]),
        ..Filter::default()
    };
    assert_eq!(
        found(of_application),
        expected(&|it| it % 5 == 1 && it % 7 == 0)
    );
    let sight = Filter {
        sight: Some(Sight {
            apis: vec![ApiId::from_raw(1)],
            applications: vec![ApplicationId::from_raw(22)],
        }),
        ..Filter::default()
    };
    assert_eq!(found(sight), expected(&|it| it % 3 == 0 || it % 5 == 2));
    let nothing = Filter {
        sight: Some(Sight::default()),
        ..Filter::default()
    };
    assert_eq!(found(nothing), 0);
    let in_range = CallsQuery {
        range_us: 100_000_000..200_000_000,
        ..query(Filter::default())
    };
    let mut in_range = numbers(&spool, &in_range);
    in_range.sort_unstable();
    assert_eq!(in_range, (100..200).collect::<Vec<_>>());
}

#[test]
fn a_page_that_takes_too_long_ends_early_and_is_continued() {
    let folder = TempDir::new().unwrap();
    let spool = spool(folder.path());
    let query = query(Filter::default());
    let search = Search {
        spool: &spool,
        query: &query,
        deadline: Instant::now(),
    };
    let page = search.run().unwrap();
    assert!(page.calls.is_empty());
    let query = CallsQuery {
        before: page.next,
        ..query
    };
    assert_eq!(numbers(&spool, &query).len() as u64, 2 * CALLS);
}

#[test]
fn a_page_does_not_begin_at_a_call_that_is_gone() {
    let folder = TempDir::new().unwrap();
    let spool = spool(folder.path());
    let gone = CallPlace {
        epoch: 1,
        number: 5,
    };
    let query = CallsQuery {
        before: Some(gone),
        ..query(Filter::default())
    };
    let page = search(&spool, &query);
    assert!(matches!(page, Err(UsageError::UnknownPlace)), "{page:?}");
}

#[test]
fn every_call_is_found_by_its_request_id() {
    let folder = TempDir::new().unwrap();
    let spool = spool(folder.path());
    let look = |id| Lookup::new(&spool, id).run().unwrap();
    for number in 0..2 * CALLS {
        let worker = worker_of(number);
        let found = look(request_id(worker, number)).unwrap();
        assert_eq!(found.record, record(number));
        assert_eq!(found.request_id(), request_id(worker, number));
    }
    assert!(look(request_id(WORKERS[0], 1 << 40)).is_none());
    assert!(look(request_id(3, 5)).is_none());
}
