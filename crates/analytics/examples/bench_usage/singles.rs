//! Single calls: one by its request id, and pages of them.

use std::error::Error;
use std::time::Instant;

use tollgate_analytics::{CallsQuery, Filter, Usage};
use tollgate_model::id::{OperationId, PlanId};
use tollgate_model::record::request_id;

use crate::questions::{RANGE_US, application, version};
use crate::traffic::WORKERS;
use crate::{TIMES, Times};

/// Calls of a page.
const PAGE: usize = 1_000;

/// A filter of calls.
struct Kind {
    name: &'static str,
    /// The filter of the nth time: of another version, application or operation each time.
    filter: fn(i64) -> Filter,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "all",
        filter: |_| Filter::default(),
    },
    Kind {
        name: "refused",
        filter: |_| Filter {
            is_refused: Some(true),
            ..Filter::default()
        },
    },
    Kind {
        name: "status 503 of a version",
        filter: |at| Filter {
            statuses: Some(vec![503]),
            versions: Some(vec![version(at)]),
            ..Filter::default()
        },
    },
    Kind {
        name: "an application",
        filter: |at| Filter {
            applications: Some(vec![application(at)]),
            ..Filter::default()
        },
    },
    Kind {
        name: "refused, of an application",
        filter: |at| Filter {
            applications: Some(vec![application(at)]),
            is_refused: Some(true),
            ..Filter::default()
        },
    },
    Kind {
        name: "an operation under a plan",
        filter: |at| Filter {
            operations: Some(vec![OperationId::from_raw(4 << 40 | (at % 300 * 7))]),
            plans: Some(vec![PlanId::from_raw(5 << 40 | 1)]),
            ..Filter::default()
        },
    },
    Kind {
        name: "nothing",
        filter: |_| Filter {
            statuses: Some(vec![418]),
            ..Filter::default()
        },
    },
];

/// Looks for calls by their ids, of each of the seven days, and for pages by each filter; prints
/// how long that takes.
pub(crate) async fn ask(usage: &Usage, calls: u64, to_us: i64) -> Result<(), Box<dyn Error>> {
    println!(
        "{:<46} {:>9} {:>9} {:>8}",
        "single calls", "p50 ms", "p99 ms", "calls"
    );
    let mut times = Times::default();
    for day in 0..7 {
        for time in 0..TIMES as u64 {
            let number = (day * calls / 7 + time * 7_919) / WORKERS;
            let id = request_id(time % WORKERS, number);
            let begun = Instant::now();
            let found = usage.call(id).await?;
            times.add(begun);
            found.ok_or("a call is not found")?;
        }
    }
    times.print("one by its request id, any day", 1);
    let (mut all, mut given_up) = (Times::default(), 0);
    for kind in &KINDS {
        let mut times = Times::default();
        let mut found = 0;
        for time in 0..TIMES / 2 {
            let mut query = CallsQuery {
                range_us: to_us - RANGE_US..to_us,
                filter: (kind.filter)(time as i64 * 131),
                before: None,
                limit: PAGE,
                by: None,
            };
            // The first page and the second.
            for _ in 0..2 {
                let begun = Instant::now();
                let page = usage.calls(query.clone()).await?;
                times.add(begun);
                all.add(begun);
                found = page.calls.len();
                given_up += usize::from(found < PAGE && page.next.is_some());
                query.before = page.next;
                if query.before.is_none() {
                    break;
                }
            }
        }
        times.print(&format!("a page of {PAGE}: {}", kind.name), found);
    }
    all.print("a page by any filter", 0);
    println!("{given_up} pages ended early, since they took too long");
    Ok(())
}
