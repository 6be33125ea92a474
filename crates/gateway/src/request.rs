//! The life of a request, in code: the rooms in their order, top to bottom.
//!
//! Each room is called once and never calls another; its result is the ticket that the next one
//! asks for, so nothing is sent that was not authenticated and admitted.

use tokio::net::TcpStream;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::Coding;
use tollgate_http1::server::Server;
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::bridge::{Bridged, json_bytes_max};
use crate::exchange::{Exchange, Failure};
use crate::peer::Peer;
use crate::record::{Note, Noted};
use crate::refusal::Refused;
use crate::upstream::Outgoing;
use crate::worker::Worker;
use crate::{admit, authenticate, authorize, contract, mediate, operation, route, upstream};

/// Serves the request whose head has been read, the `served`th of its connection; whether the
/// connection may carry another one.
pub(crate) async fn serve(
    server: &mut Server<TcpStream>,
    worker: &Worker,
    peer: &Peer,
    served: u32,
) -> bool {
    let mut exchange = Exchange::begin(server, worker, (peer, served));
    let caller = peer.caller(&exchange.server.head, exchange.server.head_bytes());
    let mut noted = Noted::begin(worker, exchange.request.value(), caller);
    let note = &mut noted.note;
    match answer(&mut exchange, worker, note).await {
        Ok(()) => {}
        Err(Failure::Refused(refused)) => {
            worker.warnings.refused(note, &refused);
            exchange.refuse(&refused, worker, note).await;
        }
        Err(Failure::AnswerCut(refused)) => {
            worker.warnings.refused(note, &refused);
            note.cut();
            exchange.end_after();
        }
        Err(Failure::Cut) => {
            note.cut();
            exchange.end_after();
        }
    }
    note.bytes_in(exchange.server.body.bytes);
    noted.end();
    exchange.end().await
}

async fn answer(
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    note: &mut Note,
) -> Result<(), Failure> {
    let snapshot = worker.snapshot();
    let mut out = worker.buffer_pool.scratch();

    let routed = route::find(
        &snapshot,
        &exchange.server.head,
        exchange.server.head_bytes(),
        note,
    )?;
    if let Some(document) = routed.document() {
        return contract::give(document, exchange, &mut out, note).await;
    }
    if exchange.server.head.wants_websocket {
        let detail = "Upgrading to WebSocket is not supported yet.";
        return Err(Refused::because(Refusal::BadRequest, detail).into());
    }
    let fields = (&exchange.server.head.fields, exchange.server.head_bytes());
    let caller = authenticate::identify(&snapshot, &routed, fields, note)?;
    let allowed = authorize::permit(&snapshot, routed, caller, note)?;
    let called = operation::find(allowed, exchange, worker, note).await?;
    let admitted = admit::debit_all(called, note.at_us())?;

    let routed = admitted.allowed().routed();
    if let Some(bridged) = routed.bridged() {
        // Boxed: most calls do not come here, and every connection would carry its room.
        let called = (&admitted, bridged);
        return Box::pin(answer_bridged(called, exchange, worker, note, &mut out)).await;
    }

    let bytes_max = routed.version().body_bytes_max(&worker.settings);
    let coding = mediate::request(&admitted, exchange, bytes_max, &mut out)?;
    let outgoing = Outgoing {
        out: &mut out,
        coding,
        bytes_max,
        passes: Some(routed.method()),
        body: None,
    };
    let mut answer = upstream::send(&admitted, outgoing, exchange, worker, note).await?;

    let client = answer.lease.client();
    let coding = mediate::response(&admitted, exchange, client, &mut out);
    upstream::relay(answer, exchange, coding, &mut out, note).await
}

/// The rest of the way for a REST caller of a SOAP back end: the rooms are the same, but a message
/// that becomes another one is read whole before it goes on.
async fn answer_bridged(
    (admitted, bridged): (&Admitted<'_>, Bridged<'_>),
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    note: &mut Note,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let version = admitted.allowed().routed().version();
    let bytes_max = version
        .body_bytes_max(&worker.settings)
        .min(json_bytes_max());

    let asked = mediate::soap::head((admitted, bridged), exchange, bytes_max, out)?;
    let body = exchange.read_body(bytes_max).await?;
    let envelope = mediate::soap::request(bridged, &asked, &body, worker, out)?;
    drop(body);
    let outgoing = Outgoing {
        out,
        coding: Coding::Plain,
        bytes_max,
        passes: None,
        body: Some(envelope),
    };
    let answer = upstream::send(admitted, outgoing, exchange, worker, note).await?;
    let bytes_max = bridged.bridge.answer_bytes_max;
    let whole =
        upstream::whole::read(answer, exchange, bytes_max, worker.buffer_pool.scratch()).await?;

    let mut json = OwnBody::new(&worker.buffer_pool);
    let status = mediate::soap::answer(bridged, &whole, worker, note, &mut json)?;
    drop(whole);
    note.status(status);
    mediate::soap::response(admitted, exchange, (status, json.body()), out);
    if exchange.is_head() {
        json.drop_body();
    }
    exchange.give_own(out, &mut json, note).await;
    Ok(())
}
