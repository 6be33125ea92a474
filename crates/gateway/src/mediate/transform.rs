//! `mediate` with the operation's [`Transform`]s: a request passes them in order, a response in
//! reverse. A body is read whole if one of them changes it, which is decided once the head of the
//! message has arrived.

use tollgate_http1::own_body::OwnBody;

use super::{Call, Shape, push_head, soap};
use crate::buffered::Held;
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
        call: Call<'_, '_>,
        (exchange, bytes_max): (&Exchange<'_>, u64),
    ) -> Result<Option<Change<'_>>, Refused> {
        match self {
            Self::SoapToRest(service, resource) => {
                let request = soap::judge((service, resource), call, (exchange, bytes_max))?;
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
                soap::answer((service, resource), reply, worker, record)
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
    call: Call<'_, '_>,
    (transforms, bytes_max): (&[Transform], u64),
    (exchange, worker): (&mut Exchange<'_>, &Worker),
    out: &mut Vec<u8>,
) -> Result<RequestBody, Failure> {
    let bytes_max = transforms
        .iter()
        .fold(bytes_max, |bytes, it| it.request_bytes_max(bytes));
    let mut changes = Vec::with_capacity(transforms.len());
    for transform in transforms {
        changes.extend(transform.judge(call, (exchange, bytes_max))?);
    }
    push_head(call, (exchange, worker), out)?;
    let mut changes = changes.into_iter();
    let Some(first) = changes.next() else {
        let own = call.shape.and_then(Shape::take_body);
        return Ok(own.map_or(RequestBody::Passed { bytes_max }, RequestBody::Own));
    };
    let (mut own, room) = match call.shape.and_then(Shape::take_body) {
        Some(own) => (first.body(own.body.body(), worker)?, own.room),
        None => {
            let read = exchange.read_body(bytes_max, worker).await?;
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
    (exchange, worker): (&mut Exchange<'_>, &Worker),
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let Some(bytes_max) = transforms
        .iter()
        .filter_map(Transform::answer_bytes_max)
        .min()
    else {
        return Ok(());
    };
    exchange.read_whole(reply, bytes_max, worker).await?;
    for transform in transforms.iter().rev() {
        if transform.answer_bytes_max().is_some() {
            transform.answer(reply, worker, record)?;
        }
    }
    Ok(())
}
