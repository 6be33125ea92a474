//! The life of a request, in code: the rooms in their order, top to bottom.
//!
//! Each room is called once and never calls another; its result is the ticket that the next one
//! asks for, so nothing is sent that was not authenticated and admitted.

use tollgate_http1::own_body::OwnBody;
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::connection::CallerConnection;
use crate::exchange::{Exchange, Failure, Next};
use crate::mediation::{BodyWay, Transform};
use crate::peer::Peer;
use crate::pre_flight::PreFlight;
use crate::record::{RecordBuilder, RecordGuard};
use crate::refusal::Refused;
use crate::upstream::{Chosen, Outgoing};
use crate::worker::Worker;
use crate::{
    admit, authenticate, authorize, documents, local, mediate, operation, pre_flight, route,
    upstream,
};

/// Serves the request whose head has been read, the `served`th of its connection; what becomes of
/// the connection.
pub(crate) async fn serve(
    connection: &mut CallerConnection,
    worker: &Worker,
    peer: &Peer,
    served: u32,
) -> Next {
    let mut exchange = Exchange::begin(connection, worker, (peer, served));
    let caller = peer.caller(exchange.head());
    let begun = RecordBuilder::begin(exchange.began_us(), exchange.id().value(), caller);
    if let Some(local) = local::find(&exchange, worker) {
        local::give(local, &mut exchange, worker, &mut { begun }).await;
        return exchange.end().await;
    }
    let mut guard = RecordGuard::new(begun, &worker.recorder, &worker.clock);
    let record = &mut guard.record;
    match answer(&mut exchange, worker, record).await {
        Ok(()) => {}
        Err(Failure::Refused(refused)) => {
            warn(worker, &exchange, &refused);
            exchange.refuse(&refused, worker, record).await;
        }
        Err(Failure::AnswerCut(refused)) => {
            warn(worker, &exchange, &refused);
            record.cut_for(refused.refusal);
            exchange.cut();
        }
        Err(Failure::Cut) => {
            record.cut();
            exchange.cut();
        }
    }
    if let Some(refused) = exchange.unsent() {
        warn(worker, &exchange, refused);
    }
    record.bytes_in(exchange.bytes_in());
    guard.end();
    exchange.end().await
}

/// Logs why, where the upstream is to blame or a transfer was cut.
fn warn(worker: &Worker, exchange: &Exchange<'_>, refused: &Refused) {
    let (began_us, version) = (exchange.began_us(), exchange.version());
    worker.warnings.refused(began_us, version, refused);
}

async fn answer(
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let snapshot = worker.snapshot();
    let mut out = worker.buffer_pool.scratch();

    let routed = route::find(&snapshot, exchange, worker, record);
    if let Some(asked) = PreFlight::of(exchange) {
        pre_flight::give(asked, exchange, &mut out, record).await;
        return Ok(());
    }
    let routed = routed?;
    if let Some(document) = routed.document() {
        return documents::give(document, exchange, (worker, &mut out), record).await;
    }
    if exchange.head().wants_websocket {
        let detail = "Upgrading to WebSocket is not supported yet.";
        return Err(Refused::because(Refusal::BadRequest, detail).into());
    }
    let caller = authenticate::identify(&snapshot, &routed, exchange, worker, record)?;
    let allowed = authorize::permit(&snapshot, (routed, caller), exchange, worker, record)?;
    let called = operation::find(allowed, exchange, worker, record).await?;
    let admitted = admit::debit_all(called, exchange.began_us())?;
    let chosen = upstream::choose(&admitted)?;

    let version = admitted.allowed().routed().version();
    let bytes_max = version.body_bytes_max(&worker.settings);
    let call = (&admitted, chosen);
    if let BodyWay::Whole(transform) = &admitted.mediation().body {
        // Boxed: most calls do not come here, and every connection would carry its room.
        let how = (transform, bytes_max, &mut *out);
        return Box::pin(answer_whole(call, how, exchange, worker, record)).await;
    }

    mediate::request(call, (exchange, worker), bytes_max, &mut out)?;
    let outgoing = Outgoing::Passed {
        out: &mut out,
        bytes_max,
        method: admitted.method(),
    };
    let answer = upstream::send(chosen, outgoing, exchange, worker, record).await?;

    mediate::response(&admitted, exchange, answer.head(), &mut out);
    upstream::relay(answer, exchange, &mut out, record).await
}

/// The rest of the way where messages become others: the rooms are the same, but each message is
/// read whole before it goes on.
async fn answer_whole(
    call: (&Admitted<'_>, Chosen<'_>),
    (transform, bytes_max, out): (&Transform, u64, &mut Vec<u8>),
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let (admitted, chosen) = call;
    let bytes_max = mediate::whole::request_bytes_max(transform, bytes_max);

    let asked = mediate::whole::head(call, transform, (exchange, worker), bytes_max, out)?;
    let body = exchange.read_body(bytes_max).await?;
    let own = mediate::whole::request(transform, &asked, &body, worker)?;
    drop(body);
    let outgoing = Outgoing::Own { out, body: own };
    let answer = upstream::send(chosen, outgoing, exchange, worker, record).await?;
    let bytes_max = mediate::whole::answer_bytes_max(transform);
    let values = worker.buffer_pool.scratch();
    let whole = upstream::whole::read(answer, exchange, bytes_max, values).await?;

    let mut own = OwnBody::new(&worker.buffer_pool);
    let status = mediate::whole::answer(transform, &whole, worker, record, &mut own)?;
    drop(whole);
    record.status(status);
    mediate::whole::response(admitted, exchange, (status, own.body()), out);
    if exchange.is_head() {
        own.drop_body();
    }
    exchange.give_own(out, &mut own, record).await;
    Ok(())
}
