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

use std::time::Duration;

use tollgate_cache::flights::{Landed, Waiting};
use tollgate_http1::Broken;
use tollgate_http1::deadline::Late;
use tollgate_model::refusal::Refusal;

use crate::exchange::late::cause;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::snapshot::caching::Caching;
use crate::steps::Shaped;
use crate::stored::Landing;
use change::Change;
use looking::{Looking, Parked, Step};

pub(crate) use fetch::{Arrived, Fetch, arrived, keep, refuse};
pub(crate) use looking::Looked;

/// Looks for a stored response to an admitted call. While another call fetches it, waits for that.
///
/// # Errors
/// The caller accepts only a stored response and there is none, or it leaves or runs out of time
/// while it waits.
pub(crate) async fn look(
    shaped: &Shaped<'_>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Looked, Failure> {
    let rules = match &shaped.admitted().mediation().caching {
        Caching::None => return Ok(Looked::Fetch(Fetch::Plain)),
        Caching::Changes => {
            let change = Change::of(shaped.admitted(), exchange);
            return Ok(Looked::Fetch(Fetch::Change(Box::new(change))));
        }
        Caching::Stores(rules) => rules,
    };
    let Parked {
        keyed,
        trial,
        waiting,
    } = match looking::find(rules, shaped, exchange, record)? {
        Step::Looked(looked) => return Ok(looked),
        Step::Wait(parked) => *parked,
    };
    let wait = Duration::from_millis(rules.served.wait_ms.into());
    // Boxed: few calls wait, and every connection would pay for the space.
    let landed = Box::pin(land(waiting, wait, exchange)).await?;
    let looking = Looking::of(rules, shaped, exchange, keyed, trial);
    Ok(match landed {
        Landed::Stored(landing) => looking.landed(landing, record),
        Landed::Lead(leader) => looking.lead(Some(leader), record),
        Landed::Alone => looking.lead(None, record),
    })
}

/// Waits until a flight has landed. Each time that takes `wait`, or half of the time that the
/// exchange has left, more callers are let go.
async fn land(
    mut waiting: Waiting<Landing>,
    wait: Duration,
    exchange: &mut Exchange<'_>,
) -> Result<Landed<Landing>, Failure> {
    let caches = &exchange.worker().caches;
    loop {
        let deadline = exchange.deadline();
        let wait = deadline.left().map_or(wait, |left| wait.min(left / 2));
        let waited_ms = caches.now_ms().saturating_sub(waiting.turn_ms());
        deadline.set(wait.saturating_sub(Duration::from_millis(waited_ms)));
        match exchange.wait_for(&mut waiting).await {
            Ok(landed) => return Ok(landed),
            Err(Broken::TimedOut(Late::Idle)) => waiting.end_turn(caches.now_ms()),
            Err(Broken::TimedOut(late)) => {
                let refused = Refused::from(Refusal::UpstreamTimeout);
                return Err(refused.caused_by(cause(late).to_owned()).into());
            }
            Err(Broken::Io(_)) => return Err(Failure::Cut),
        }
    }
}

#[cfg(test)]
mod tests;
