//! `cache`: responds to calls with stored responses (RFC 9111), and stores responses for later
//! calls.
//!
//! The key of a response is what goes up of its call: the upstream gets nothing of the caller that
//! is not part of it, except the fields that the rules of its operation let pass.
//!
//! - `looking.rs`: the search; `keyed.rs`: what goes up of a call, and its key; `found.rs`: whether
//!   a stored response answers a call, and how; `trial.rs`: calls of try-it
//! - `fetch.rs`: calls to the upstream for responses that may be stored; `entry.rs`: which are;
//!   `change.rs`: calls that end what is stored of their target

mod change;
mod entry;
mod fetch;
mod found;
mod keyed;
mod looking;
mod trial;

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tollgate_cache::flights::{FLIGHT_MS_MAX, Landed, Waiting};
use tollgate_cache::store::Entry;

use crate::admit::Admitted;
use crate::exchange::Exchange;
use crate::mediate::Shape;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::snapshot::caching::Caching;
use crate::worker::Worker;
use change::Change;
use looking::{Step, find};

pub(crate) use fetch::{Arrived, Fetch, arrived, keep};
pub(crate) use looking::Looked;

/// Looks for a stored response to an admitted call. While another call fetches it, waits for that.
pub(crate) async fn look(
    (admitted, shape): (&Admitted<'_>, Option<&Shape<'_>>),
    exchange: &Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Looked, Refused> {
    let step = match &admitted.mediation().caching {
        Caching::None => return Ok(Looked::Fetch(Fetch::Plain)),
        Caching::Changes => {
            let change = Change::of(admitted, exchange, worker);
            return Ok(Looked::Fetch(Fetch::Change(Box::new(change))));
        }
        Caching::Stores(rules) => {
            let call = (admitted, shape);
            find(rules, call, (exchange, worker), record)?
        }
    };
    let (looking, waiting) = match step {
        Step::Looked(looked) => return Ok(looked),
        Step::Wait(waiting) => *waiting,
    };
    // Boxed: few calls wait, and every connection would pay for the space.
    Ok(match Box::pin(land(waiting, exchange)).await {
        Some(Landed::Stored(entry)) => looking.landed(entry, record),
        Some(Landed::Lead(leader)) => looking.lead(Some(leader), record),
        Some(Landed::Alone) | None => looking.lead(None, record),
    })
}

/// Waits until a flight has landed, at most as long as one holds anybody.
async fn land(
    mut waiting: Waiting<Arc<Entry>>,
    exchange: &Exchange<'_>,
) -> Option<Landed<Arc<Entry>>> {
    let deadline = exchange.deadline();
    deadline.set(Duration::from_millis(FLIGHT_MS_MAX));
    poll_fn(|context| match Pin::new(&mut waiting).poll(context) {
        Poll::Ready(landed) => Poll::Ready(Some(landed)),
        Poll::Pending => deadline.poll_due(context).map(|_| None),
    })
    .await
}

#[cfg(test)]
mod tests;
