//! The life of a request in code: the rooms in their order, top to bottom.
//!
//! Each room is called once and never calls another; its result is the ticket that the next one
//! requires, so nothing is sent upstream without authentication and admission.

mod guard;
pub(crate) mod walkers;

use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::cache::{Arrived, Fetch, Looked};
use crate::exchange::{Exchange, Failure, Next};
use crate::record::{ARE_RECORDED, RecordBuilder};
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::request::guard::RecordGuard;
use crate::steps::{Outcome, Shaped};
use crate::upstream::Outgoing;
use crate::wire::connection::CallerConnection;
use crate::wire::peer::Peer;
use crate::worker::Worker;
use crate::{
    admit, authenticate, authorize, cache, choose, documents, local, mediate, operation,
    pre_flight, route, steps, upstream,
};

/// Serves the request with this head, the `served`th of its connection; returns the fate of the
/// connection.
async fn serve(
    connection: &mut CallerConnection,
    worker: &Worker,
    peer: &Peer,
    served: u32,
) -> Next {
    let mut exchange = Exchange::begin(connection, worker, peer, served);
    let number = exchange.id().number();
    let mut record = RecordBuilder::begin(exchange.began_us(), number, exchange.address());
    if let Some(local) = local::find(&exchange) {
        // Cannot fail: nothing of it comes from an upstream.
        let reply = local::reply(local, worker);
        let _sent = exchange.respond(reply, &mut record).await;
        return exchange.end().await;
    }
    if ARE_RECORDED {
        record.agent(exchange.agent());
        worker.record_writer.write_texts(number, exchange.head());
    }
    let mut guard = RecordGuard::new(&mut record, &mut exchange);
    respond(&mut guard).await;
    guard.end();
    exchange.end().await
}

/// Responds to a request, or refuses it.
async fn respond(guard: &mut RecordGuard<'_, '_>) {
    let RecordGuard {
        record, exchange, ..
    } = guard;
    match answer(exchange, record).await {
        Ok(()) => {}
        Err(Failure::Refused(refused)) => {
            warn(exchange, &refused);
            record.refused(refused.refusal);
            let mut reply = exchange.refusal(&refused);
            steps::refusal(&refused, &mut reply, exchange, record);
            let _sent = exchange.respond(reply, record).await;
        }
        Err(Failure::AnswerCut(refused)) => {
            warn(exchange, &refused);
            record.cut_for(refused.refusal);
            exchange.cut();
        }
        Err(Failure::Cut) => {
            record.cut();
            exchange.cut();
        }
    }
    if let Some(refused) = exchange.unsent() {
        warn(exchange, refused);
    }
}

/// Logs the cause if the upstream is to blame or a transfer was cut.
fn warn(exchange: &Exchange<'_>, refused: &Refused) {
    let (began_us, version) = (exchange.began_us(), exchange.version());
    exchange
        .worker()
        .warnings
        .refused(began_us, version, refused);
}

/// Responds to a request, unless it has to be refused.
async fn answer(exchange: &mut Exchange<'_>, record: &mut RecordBuilder) -> Result<(), Failure> {
    let snapshot = exchange.worker().snapshot();
    let reply = 'reply: {
        let routed = route::find(&snapshot, exchange, record);
        if exchange.is_preflight() {
            break 'reply pre_flight::reply(routed.err().as_ref(), exchange)?;
        }
        let routed = routed?;
        if let Some(document) = routed.document() {
            break 'reply documents::reply(document, exchange);
        }
        if exchange.head().wants_websocket {
            let detail = "Upgrading to WebSocket is not supported yet.";
            return Err(Refused::because(Refusal::BadRequest, detail).into());
        }
        let began = exchange.begin_sample();
        let caller = authenticate::identify(&snapshot, &routed, exchange, record);
        record.authenticated(began);
        let caller = caller?;
        let allowed = authorize::permit(&snapshot, &caller, exchange, record)?;
        steps::keep(&allowed, exchange);
        let called = operation::find(&allowed, exchange, record).await?;
        let began = exchange.begin_sample();
        let admitted = admit::debit_all(&called, exchange, record);
        record.admitted(began);
        let admitted = admitted?;
        let answered = answer_admitted(&admitted, exchange, record).await;
        return answered.map_err(|failure| admitted.end_failed(failure, exchange, record));
    };
    exchange.respond(reply, record).await
}

/// Responds to an admitted request, unless it has to be refused.
async fn answer_admitted<'s>(
    admitted: &'s Admitted<'s>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let mut reply = match steps::shape(admitted, exchange, record).await? {
        Outcome::Given(reply) => reply,
        Outcome::Shaped(shaped) => {
            let mut reply = match cache::look(&shaped, exchange, record).await? {
                Looked::Stored(reply) => reply,
                Looked::Fetch(fetch) => call(&shaped, fetch, exchange, record).await?,
            };
            if let Err(refused) = steps::finish(&shaped, &mut reply, exchange, record) {
                cache::refuse(reply);
                return Err(refused.into());
            }
            reply
        }
    };
    admitted.push_fields(&mut reply.head, exchange.worker());
    exchange.respond(reply, record).await
}

/// Calls the upstream.
async fn call<'s>(
    shaped: &Shaped<'s>,
    mut fetch: Fetch,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Reply<'s>, Failure> {
    match fetch_for(shaped, &mut fetch, exchange, record).await {
        Ok(Arrived::Stored(reply)) => Ok(*reply),
        Ok(Arrived::Passed(mut reply)) => {
            cache::keep(fetch, &mut reply, exchange);
            Ok(reply)
        }
        Err(failure) => {
            fetch.fail(&failure, record);
            Err(failure)
        }
    }
}

/// Sends a request to the upstream and shapes its response.
async fn fetch_for<'s>(
    shaped: &Shaped<'s>,
    fetch: &mut Fetch,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Arrived<'s>, Failure> {
    let chosen = choose::choose(shaped, fetch.cached())?;
    let mut head = exchange.worker().buffer_pool.scratch();
    let body = mediate::request(&chosen, exchange, &mut head).await?;
    let outgoing = Outgoing {
        head: &mut head,
        method: chosen.method(),
        body,
    };
    let sent = match shaped.admitted().debit_upstream(record) {
        Ok(()) => upstream::send(&chosen, outgoing, exchange, record).await,
        Err(refused) => Err(refused.into()),
    };
    let sent = sent.map(|passed| Reply::passed(passed, head, exchange.decides_cors()));
    let mut arrived = cache::arrived(fetch, sent, exchange, record).await?;
    if let Arrived::Passed(reply) = &mut arrived {
        mediate::answer(shaped.admitted(), reply, exchange, record).await?;
        steps::answer(shaped, reply, exchange, record).await?;
    }
    Ok(arrived)
}

#[cfg(test)]
mod tests;
