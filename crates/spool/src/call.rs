//! A call in the spool, and the parts of it that are stored together.

use tollgate_model::agent::Agent;
use tollgate_model::credential::CredentialKind;
use tollgate_model::id::Id;
use tollgate_model::operation::METHODS;
use tollgate_model::record::{Answered, Flags, Record, RefusedBy, ShortTime, request_id};
use tollgate_model::refusal::Refusal;

/// A recorded call with the number of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The upper half of its request id, the same for all calls of a worker.
    pub worker: u64,
    /// What its worker recorded.
    pub record: Record,
}

impl Call {
    /// Returns a call of a worker as the spool keeps it: of the caller's address, the network.
    #[must_use]
    pub fn of(worker: u64, record: &Record) -> Self {
        let record = Record {
            address: network(record.address),
            ..*record
        };
        Self { worker, record }
    }

    /// Returns the request id, as in `X-Request-Id`.
    #[must_use]
    pub fn request_id(&self) -> u128 {
        request_id(self.worker, self.record.number)
    }
}

/// API, version, revision and operation, raw; 0 for none.
pub(crate) type Route = [i64; 4];

pub(crate) fn route(record: &Record) -> Route {
    [
        raw(record.api),
        raw(record.version),
        raw(record.revision),
        raw(record.operation),
    ]
}

pub(crate) fn set_route(record: &mut Record, route: Route) {
    let [api, version, revision, operation] = route;
    record.api = id(api);
    record.version = id(version);
    record.revision = id(revision);
    record.operation = id(operation);
}

/// Application, plan and credential, raw, and the kind of the credential; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Caller {
    pub(crate) ids: [i64; 3],
    pub(crate) kind: u8,
}

impl Caller {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            ids: [raw(record.application), raw(record.plan), record.credential],
            kind: record.credential_kind.map_or(0, CredentialKind::number),
        }
    }

    /// Returns `None` if the kind is none.
    pub(crate) fn set(self, record: &mut Record) -> Option<()> {
        let [application, plan, credential] = self.ids;
        record.application = id(application);
        record.plan = id(plan);
        record.credential = credential;
        record.credential_kind = match self.kind {
            0 => None,
            kind => Some(CredentialKind::from_number(kind)?),
        };
        Some(())
    }
}

/// How a call ended, as the numbers of its parts.
pub(crate) type Outcome = [u16; OUTCOME];
pub(crate) const OUTCOME: usize = 8;

pub(crate) fn outcome(record: &Record) -> Outcome {
    [
        record.status,
        record.upstream_status,
        record.agent.number(),
        record.refused_by.map_or(0, RefusedBy::number),
        record.refusal.map_or(0, Refusal::number).into(),
        record.answered.number().into(),
        record.flags.bits().into(),
        record.method.map_or(0, |method| method as u16 + 1),
    ]
}

/// Returns `None` if the numbers are not those of an outcome.
pub(crate) fn set_outcome(record: &mut Record, outcome: Outcome) -> Option<()> {
    let [
        status,
        upstream_status,
        agent,
        refused_by,
        refusal,
        answered,
        flags,
        method,
    ] = outcome;
    let small = |number: u16| u8::try_from(number).ok();
    record.status = status;
    record.upstream_status = upstream_status;
    record.agent = Agent::from_number(agent);
    record.refused_by = RefusedBy::from_number(refused_by);
    record.refusal = match small(refusal)? {
        0 => None,
        number => Some(Refusal::from_number(number)?),
    };
    record.answered = Answered::from_number(small(answered)?)?;
    record.flags = Flags::from_bits(small(flags)?)?;
    record.method = match usize::from(method) {
        0 => None,
        number => Some(*METHODS.get(number - 1)?),
    };
    Some(())
}

/// The times that only some calls have, as one number.
pub(crate) fn sampled(record: &Record) -> u64 {
    u64::from(record.authenticate.number()) | u64::from(record.admit.number()) << 16
}

/// Returns `None` if the number is none of [`sampled`].
pub(crate) fn set_sampled(record: &mut Record, sampled: u64) -> Option<()> {
    let [authenticate, admit, 0, 0] = [0, 16, 32, 48].map(|at| (sampled >> at) as u16) else {
        return None;
    };
    record.authenticate = ShortTime::from_number(authenticate);
    record.admit = ShortTime::from_number(admit);
    Some(())
}

/// Returns the network of a caller's address: 24 bits of IPv4, 48 of IPv6.
pub(crate) fn network(address: [u8; 16]) -> [u8; 16] {
    /// An address that maps one of IPv4 (RFC 4291, section 2.5.5.2).
    const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
    let kept = match address.starts_with(&MAPPED) {
        true => MAPPED.len() + 3,
        false => 6,
    };
    let mut network = address;
    network[kept..].fill(0);
    network
}

fn raw<K>(id: Option<Id<K>>) -> i64 {
    id.map_or(0, Id::raw)
}

fn id<K>(raw: i64) -> Option<Id<K>> {
    (raw != 0).then(|| Id::from_raw(raw))
}

/// The total time of a call without that before and in the upstream; wraps around.
pub(crate) fn rest_us(record: &Record) -> u32 {
    let without = record.total_us.wrapping_sub(record.before_us);
    without.wrapping_sub(record.upstream_us)
}

/// The inverse of [`rest_us`], once the other times are set.
pub(crate) fn set_rest_us(record: &mut Record, rest_us: u32) {
    let without = rest_us.wrapping_add(record.upstream_us);
    record.total_us = without.wrapping_add(record.before_us);
}
