//! `operation`: which operation is called. For REST the path has named it; for a SOAP service the
//! first bytes of the body do.
//!
//! The bytes are forwarded untouched. They are read only for a permitted caller, and only as far as
//! the service allows.

use tollgate_counters::BoundLimit;
use tollgate_model::id::Id;
use tollgate_model::plan::ANONYMOUS;
use tollgate_model::refusal::Refusal;
use tollgate_soap::dispatch::{Call, Found, Prefix, Unreadable};
use tollgate_xml::Problem;

use crate::authorize::Allowed;
use crate::exchange::{Exchange, Failure, More};
use crate::limits::condition::Facts;
use crate::limits::policy_line::PolicyLine;
use crate::limits::{self, Bounds, Seen};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::snapshot::operations::Operation;
use crate::snapshot::service::Service;
use crate::wire::connection::BodyLength;
use crate::wire::soap_head;

/// The ticket of this room: a call with its operation.
#[derive(Debug)]
pub(crate) struct Called<'s> {
    allowed: &'s Allowed<'s>,
    operation: &'s Operation,
    /// Other operations that the message points to; empty for a consistent message.
    others: Vec<&'s Operation>,
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Called<'_>>() <= 128);

impl<'s> Called<'s> {
    pub(crate) fn allowed(&self) -> &'s Allowed<'s> {
        self.allowed
    }

    pub(crate) fn operation(&self) -> &'s Operation {
        self.operation
    }

    /// The units that the call costs: the back end may follow any operation that the message
    /// points to, so the dearest one counts.
    pub(crate) fn weight(&self) -> u16 {
        let others = self.others.iter().map(|it| it.weight);
        others.fold(self.operation.weight, u16::max)
    }

    /// Finds the counters of the limits that are not bound. Those that are counted per operation
    /// count each one that the message points to.
    pub(crate) fn find(&self, exchange: &Exchange<'_>) -> Bounds {
        let (counters, now_us) = (&exchange.worker().counters, exchange.began_us());
        let mut found = Bounds::new();
        let mut seen = None;
        let others = self.others.iter().map(|it| (*it, true));
        for (operation, is_other) in std::iter::once((self.operation, false)).chain(others) {
            let own = operation.found.as_deref();
            for limits in self.allowed.found().chain(own) {
                let seen = seen.get_or_insert_with(|| self.seen(exchange));
                (seen.operation, seen.is_other) = (operation.id.raw(), is_other);
                seen.find(limits, counters, now_us, &mut found);
            }
        }
        found
    }

    /// The call as its limits see it.
    fn seen<'c>(&'c self, exchange: &'c Exchange<'_>) -> Seen<'c> {
        let caller = self.allowed.caller();
        let subscription = self.allowed.subscription();
        let version = self.allowed.routed().version();
        let application = caller.application().map_or(0, Id::raw);
        let keys = version.security.api_key.as_ref();
        let head = exchange.head();
        let id = version.served.id.raw();
        Seen {
            subscription: subscription.map_or(0, |_| limits::subscription(application, id)),
            application,
            version: id,
            operation: self.operation.id.raw(),
            is_other: false,
            user: caller.proven().next().map_or(0, |it| limits::user(it.id())),
            plan: subscription.map_or(ANONYMOUS, |it| &it.plan),
            facts: Facts {
                head,
                address: exchange.address(),
                environment: caller.environment(),
                key_header: keys.map(|keys| &*keys.header),
                key_query: keys.and_then(|keys| keys.query.as_deref()),
            },
        }
    }

    /// The bound limits with what the caller sees of them; `None` if others are bound too.
    pub(crate) fn policy_line(&self) -> Option<(&'s [BoundLimit], &'s PolicyLine)> {
        let is_all = self.operation.bounds.is_empty() && self.others.is_empty();
        self.allowed.policy_line().filter(|_| is_all)
    }

    /// Every limit of this call that is bound.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &'s BoundLimit> + Clone + use<'_, 's> {
        let others = self.others.iter().flat_map(|it| &it.bounds);
        let own = &self.operation.bounds;
        self.allowed.bounds().chain(own).chain(others)
    }
}

/// Finds the operation of a permitted call.
pub(crate) async fn find<'s>(
    allowed: &'s Allowed<'s>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Called<'s>, Failure> {
    let Some(service) = &allowed.routed().version().service else {
        let operation = allowed.routed().operation().ok_or(Refusal::Internal)?;
        return Ok(Called {
            allowed,
            operation,
            others: Vec::new(),
        });
    };
    let settings = &exchange.worker().settings;
    let bytes_max = allowed.routed().version().body_bytes_max(settings);
    if matches!(exchange.body_length(), BodyLength::Known(bytes) if bytes > bytes_max) {
        return Err(Refusal::BodyTooLarge.into());
    }
    let (mut found, seen) = find_in_prefix(service, exchange)?;
    if found == Found::NeedsMore {
        // Boxed: few calls get here, and every connection would pay for the space.
        found = Box::pin(find_in_more(service, exchange, seen)).await?;
    }
    let Found::Called { version, call } = found else {
        return Err(Refusal::Internal.into());
    };
    exchange.form().set(exchange.form().get().spoken(version));
    let Call {
        operation,
        others,
        is_mismatched,
    } = call;
    let called = service.operation(operation);
    record.operation(called.id);
    if is_mismatched {
        record.mismatched();
    }
    // An action cannot turn an unknown name into one of the contract.
    let is_unknown = operation.is_none() || others.contains(&None);
    if is_unknown && service.refuses_unknown {
        return Err(Refusal::NoOperation.into());
    }
    let each = others
        .iter()
        .map(|&it| service.operation(it))
        .chain([called]);
    for operation in each {
        allowed.judge_scopes(&operation.access.scopes, exchange)?;
    }
    let others = others.into_iter().map(|it| service.operation(it));
    Ok(Called {
        allowed,
        operation: called,
        others: others.collect(),
    })
}

/// Finds the operation from the bytes that have arrived; returns their number too.
fn find_in_prefix(service: &Service, exchange: &Exchange<'_>) -> Result<(Found, usize), Refused> {
    let worker = exchange.worker();
    let mut scratch = worker.buffer_pool.scratch();
    let (bytes, is_whole) = exchange
        .peek(&mut scratch)
        .map_err(|_| Refused::because(Refusal::BadRequest, "The chunked body is malformed."))?;
    let prefix = Prefix {
        bytes,
        is_whole,
        bytes_max: service.prefix_bytes_max,
    };
    let head = soap_head::read(exchange.head());
    let mut memory = worker.envelopes.borrow_mut();
    let found = service.dispatch.find(&mut memory, &head, prefix);
    Ok((found.map_err(unreadable)?, bytes.len()))
}

/// Reads on until the operation is known. Each attempt starts over, so there is one only when half
/// as much again has arrived, or all of it.
async fn find_in_more(
    service: &Service,
    exchange: &mut Exchange<'_>,
    mut seen: usize,
) -> Result<Found, Failure> {
    loop {
        let more = exchange.peek_more(service.prefix_bytes_max).await?;
        let is_due = match more {
            More::Came { bytes, is_whole } => is_whole || bytes >= seen + seen / 2,
            More::Full => true,
            More::Ended => return Err(Failure::Cut),
        };
        if !is_due {
            continue;
        }
        let (found, bytes) = find_in_prefix(service, exchange)?;
        if found != Found::NeedsMore {
            return Ok(found);
        }
        if more == More::Full {
            let detail = "The body does not name its operation within the first bytes that \
                          the API reads.";
            return Err(Refused::because(Refusal::BodyTooLarge, detail).into());
        }
        seen = bytes;
    }
}

fn unreadable(unreadable: Unreadable) -> Refused {
    let (refusal, detail) = match unreadable {
        Unreadable::Encoding(error) => {
            let detail = format!("The body cannot be read: {error}.");
            return Refused::because(Refusal::NotWellFormed, detail);
        }
        Unreadable::UnknownCoding(_) => {
            let detail = format!("The body cannot be read: {unreadable}.");
            return Refused::because(Refusal::WrongType, detail);
        }
        Unreadable::Coding => (
            Refusal::NotWellFormed,
            "The body does not match its coding.",
        ),
        Unreadable::Type => (
            Refusal::WrongType,
            "Send a SOAP envelope: text/xml, application/soap+xml or multipart/related.",
        ),
        Unreadable::Ambiguous => (
            Refusal::NotWellFormed,
            "SOAPAction, Content-Type, its boundary, charset or another parameter, \
             Content-Encoding or wsa:Action has two values, or can be read in different ways.",
        ),
        Unreadable::Package => (
            Refusal::NotWellFormed,
            "The package has no root part, or can be read in different ways: send the envelope as \
             its first part, boundaries in lines of their own that end with CRLF, and no field \
             twice in a part.",
        ),
        Unreadable::NoEnvelope => (Refusal::NotWellFormed, "The body is not a SOAP envelope."),
        Unreadable::Malformed(Problem::Doctype) => (
            Refusal::NotWellFormed,
            "Document type declarations are not allowed.",
        ),
        Unreadable::Malformed(problem) if problem.is_bound() => (
            Refusal::NotWellFormed,
            "The envelope exceeds the limits for nesting, declarations or names.",
        ),
        Unreadable::Malformed(problem) => {
            let detail = format!("The body is not well-formed XML: {problem}.");
            return Refused::because(Refusal::NotWellFormed, detail);
        }
    };
    Refused::because(refusal, detail)
}
