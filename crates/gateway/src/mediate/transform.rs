//! `mediate` with the operation's [`Transform`]s: a request passes them in order, a response in
//! reverse. A body is read whole if one of them changes it, which is decided once the head of the
//! message has arrived.

use tollgate_http1::own_body::OwnBody;

use super::{Shape, push_head, soap};
use crate::buffered::Held;
use crate::choose::Chosen;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::mediation::Transform;
use crate::upstream::RequestBody;
use crate::worker::Worker;

/// A transform that changes a request's body, with what it needs of the head.
enum Change<'t> {
    Soap(soap::Request<'t>),
}

impl Transform {
    /// Maximum bytes of a request's body, given that at most `allowed` are.
    fn request_bytes_max(&self, allowed: u64) -> u64 {
        match self {
            Self::SoapToRest(..) => allowed.min(soap::json_bytes_max()),
        }
    }

    /// Checks a request's head; `None` if its body stays unchanged.
    fn judge(
        &self,
        chosen: &Chosen<'_, '_>,
        exchange: &Exchange<'_>,
        bytes_max: u64,
    ) -> Result<Option<Change<'_>>, Refused> {
        match self {
            Self::SoapToRest(service, resource) => {
                let request = soap::judge(service, resource, chosen, exchange, bytes_max)?;
                Ok(Some(Change::Soap(request)))
            }
        }
    }

    /// Maximum bytes of a response's body; `None` if it stays unchanged.
    fn answer_bytes_max(&self) -> Option<u64> {
        match self {
            Self::SoapToRest(service, _) => Some(service.answer_bytes_max),
        }
    }

    /// Transforms a whole response.
    fn answer(
        &self,
        reply: &mut Reply<'_>,
        worker: &Worker,
        record: &mut RecordBuilder,
    ) -> Result<(), Refused> {
        match self {
            Self::SoapToRest(service, resource) => {
                soap::answer(service, resource, reply, worker, record)
            }
        }
    }
}

impl Change<'_> {
    fn body(self, body: &[u8], worker: &Worker) -> Result<OwnBody, Refused> {
        match self {
            Self::Soap(request) => request.envelope(body, worker),
        }
    }
}

/// Checks the head of a request, writes that of the upstream's request to `out`, without the
/// framing fields, and builds the body.
pub(super) async fn request(
    chosen: &Chosen<'_, '_>,
    bytes_max: u64,
    exchange: &mut Exchange<'_>,
    out: &mut Vec<u8>,
) -> Result<RequestBody, Failure> {
    let worker = exchange.worker();
    let transforms = &chosen.admitted().mediation().transforms;
    let bytes_max = transforms
        .iter()
        .fold(bytes_max, |bytes, it| it.request_bytes_max(bytes));
    let mut changes = Vec::with_capacity(transforms.len());
    for transform in transforms {
        changes.extend(transform.judge(chosen, exchange, bytes_max)?);
    }
    push_head(chosen, exchange, out)?;
    let mut changes = changes.into_iter();
    let Some(first) = changes.next() else {
        let own = chosen.shape().and_then(Shape::take_body);
        return Ok(own.map_or(RequestBody::Passed { bytes_max }, RequestBody::Own));
    };
    let (mut own, room) = match chosen.shape().and_then(Shape::take_body) {
        Some(own) => (first.body(own.body.body(), worker)?, own.room),
        None => {
            let read = exchange.read_body(bytes_max).await?;
            (first.body(&read.body, worker)?, read.room)
        }
    };
    for change in changes {
        own = change.body(own.body(), worker)?;
    }
    let own = Held::within(own, room).await.map_err(|_| Refused::busy())?;
    Ok(RequestBody::Own(own))
}

/// Turns the upstream's response into the caller's, once its head has arrived.
pub(super) async fn answer(
    transforms: &[Transform],
    reply: &mut Reply<'_>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let Some(bytes_max) = transforms
        .iter()
        .filter_map(Transform::answer_bytes_max)
        .min()
    else {
        return Ok(());
    };
    exchange.read_whole(reply, bytes_max).await?;
    for transform in transforms.iter().rev() {
        if transform.answer_bytes_max().is_some() {
            transform.answer(reply, exchange.worker(), record)?;
        }
    }
    Ok(())
}
