//! `record`: writes what happened in a call to the worker's ring, without locks or waiting.
//!
//! If the ring is full, the detail is lost and counted: calls by API, version and status stay
//! exact, in a small table that the ring's reader collects too.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tollgate_counters::Owed;
use tollgate_http1::view::Request;
use tollgate_model::agent::Agent;
use tollgate_model::api::Method;
use tollgate_model::credential::{CredentialId, Environment};
use tollgate_model::feed::ServedVersion;
use tollgate_model::id::{ApiId, ApplicationId, OperationId, PlanId, VersionId};
use tollgate_model::record::{AnsweredBy, CacheUse, Flags, Overflow, Record, RefusedBy, ShortTime};
use tollgate_model::refusal::Refusal;

use crate::settings::TextSettings;
use crate::text::{self, TextWriter, Texts};

/// Whether calls are recorded. They are, except in a build with the cargo feature `unrecorded`.
pub const ARE_RECORDED: bool = !cfg!(feature = "unrecorded");

const MINUTE_US: i64 = 60_000_000;

/// The record of a call in progress; the rooms fill it in, none reads it.
#[derive(Debug)]
pub(crate) struct RecordBuilder {
    record: Record,
    sent_us: Option<i64>,
    owed: Owed,
    is_soap_fault: bool,
}

impl RecordBuilder {
    /// Begins the record of the `number`th request of its worker.
    pub(crate) fn begin(at_us: i64, number: u64, peer: IpAddr) -> Self {
        let address = match peer {
            IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
            IpAddr::V6(address) => address.octets(),
        };
        let record = Record {
            at_us,
            number,
            address,
            ..Record::default()
        };
        Self {
            record,
            sent_us: None,
            owed: Owed::default(),
            is_soap_fault: false,
        }
    }

    /// Sets the program of the caller.
    pub(crate) fn agent(&mut self, agent: Agent) {
        self.record.agent = agent;
    }

    /// Sets the method, if operations can have it.
    pub(crate) fn method(&mut self, method: Option<Method>) {
        self.record.method = method;
    }

    pub(crate) fn version(&mut self, served: &ServedVersion) {
        self.record.api = Some(served.api);
        self.record.version = Some(served.id);
        self.record.revision = Some(served.revision);
    }

    /// The message contradicts itself or its contract, and is forwarded nevertheless.
    pub(crate) fn mismatched(&mut self) {
        self.record.flags.set(Flags::MISMATCHED, true);
    }

    /// Sets whether the call exceeds a limit and is admitted nevertheless.
    pub(crate) fn over(&mut self, is_over: bool) {
        self.record.flags.set(Flags::OVER, is_over);
    }

    /// Whether it was admitted although it exceeded a limit.
    pub(crate) fn is_over(&self) -> bool {
        self.record.flags.has(Flags::OVER)
    }

    pub(crate) fn operation(&mut self, operation: OperationId) {
        self.record.operation = Some(operation);
    }

    pub(crate) fn caller(
        &mut self,
        application: ApplicationId,
        credential: CredentialId,
        environment: Environment,
    ) {
        self.record.application = Some(application);
        self.record.set_credential(credential);
        let is_sandbox = environment == Environment::Sandbox;
        self.record.flags.set(Flags::SANDBOX, is_sandbox);
    }

    /// Sets how long `authenticate` took, if that was measured.
    pub(crate) fn authenticated(&mut self, began: Option<Instant>) {
        if let Some(began) = began {
            self.record.authenticate = ShortTime::of(began.elapsed());
        }
    }

    /// Sets how long `admit` took, if that was measured.
    pub(crate) fn admitted(&mut self, began: Option<Instant>) {
        if let Some(began) = began {
            self.record.admit = ShortTime::of(began.elapsed());
        }
    }

    /// Sets the plan that the call is counted under.
    pub(crate) fn plan(&mut self, plan: PlanId) {
        self.record.plan = Some(plan);
    }

    /// The request was sent to the upstream.
    pub(crate) fn sent(&mut self, now_us: i64) {
        self.record.before_us = micros(now_us - self.record.at_us);
        self.sent_us = Some(now_us);
    }

    /// Whether the upstream may have got the request.
    pub(crate) fn is_sent(&self) -> bool {
        self.sent_us.is_some()
    }

    /// The upstream's response has begun, with this status, or failed, with 0.
    pub(crate) fn answered(&mut self, now_us: i64, status: u16) {
        let since = self.sent_us.unwrap_or(now_us);
        self.record.upstream_us = micros(now_us - since);
        self.record.upstream_status = status;
    }

    /// Adds time spent running steps of policies.
    pub(crate) fn mediated(&mut self, elapsed_us: i64) {
        let elapsed_us = u16::try_from(elapsed_us.max(0)).unwrap_or(u16::MAX);
        self.record.mediate_us = self.record.mediate_us.saturating_add(elapsed_us);
    }

    /// Sets where the response comes from that the caller is sent.
    pub(crate) fn answered_by(&mut self, source: AnsweredBy) {
        self.record.answered.set_by(source);
    }

    /// Sets what the cache did.
    pub(crate) fn cache(&mut self, used: CacheUse) {
        self.record.answered.set_cache(used);
    }

    /// Sets the status sent to the caller. A refusal keeps its own, in whatever form it is sent.
    pub(crate) fn status(&mut self, status: u16) {
        if self.record.refusal.is_none() {
            self.record.status = status;
        }
    }

    pub(crate) fn refused(&mut self, refusal: Refusal) {
        self.record.refusal = Some(refusal);
        self.record.status = refusal.facts().status;
    }

    /// Sets the limit or the step that refuses the call.
    pub(crate) fn refused_by(&mut self, place: RefusedBy) {
        self.record.refused_by = Some(place);
    }

    /// The exchange ended before its last byte.
    pub(crate) fn cut(&mut self) {
        self.record.flags.set(Flags::CUT, true);
    }

    /// The gateway cut the exchange after its response had begun. The status stays the one sent.
    pub(crate) fn cut_for(&mut self, refusal: Refusal) {
        self.cut();
        // An earlier refusal takes precedence.
        self.record.refusal.get_or_insert(refusal);
    }

    /// Sets the body bytes read from the caller and written to it.
    pub(crate) fn body_bytes(&mut self, bytes_in: u64, bytes_out: u64) {
        self.record.bytes_in = bytes_in;
        self.record.bytes_out = bytes_out;
    }

    /// The response is a SOAP fault: a call that succeeded, whatever its status.
    pub(crate) fn soap_fault(&mut self) {
        self.is_soap_fault = true;
    }

    /// What the call owes to its limits when it ends.
    pub(crate) fn owed(&mut self) -> &mut Owed {
        &mut self.owed
    }

    /// Whether the caller got a failure: a status of 500 or above, which all refusals because of
    /// the upstream have. Calls that were cut got none.
    pub(crate) fn has_failed(&self) -> bool {
        let Record {
            status,
            refusal,
            flags,
            ..
        } = self.record;
        let is_cut = flags.has(Flags::CUT);
        // A refusal takes the place of the fault.
        let is_fault = self.is_soap_fault && refusal.is_none();
        status >= 500 && !is_cut && !is_fault
    }

    /// Completes the record of a call that ends now.
    pub(crate) fn finish(&self, now_us: i64) -> Record {
        let total_us = micros(now_us - self.record.at_us);
        Record {
            total_us,
            ..self.record
        }
    }
}

fn micros(us: i64) -> u32 {
    u32::try_from(us.max(0)).unwrap_or(u32::MAX)
}

type Calls = HashMap<(i64, Option<ApiId>, Option<VersionId>, u16), u64>;

/// The writing end of a worker's ring.
#[derive(Debug)]
pub(crate) struct RecordWriter {
    worker: u64,
    ring: RefCell<rtrb::Producer<Record>>,
    overflow: Arc<Mutex<Calls>>,
    texts: TextWriter,
}

/// The reading end of a worker's ring.
#[derive(Debug)]
pub struct Records {
    worker: u64,
    ring: rtrb::Consumer<Record>,
    overflow: Arc<Mutex<Calls>>,
    texts: Option<Texts>,
}

/// Creates the rings for records and texts of a worker, given by the upper half of its request ids.
pub(crate) fn ring(
    records_max: usize,
    texts: Option<TextSettings>,
    worker: u64,
) -> (RecordWriter, Records) {
    let (producer, consumer) = rtrb::RingBuffer::new(records_max);
    let (text_writer, texts) = text::ring(texts);
    let overflow = Arc::new(Mutex::new(Calls::new()));
    let writer = RecordWriter {
        worker,
        ring: RefCell::new(producer),
        overflow: Arc::clone(&overflow),
        texts: text_writer,
    };
    (
        writer,
        Records {
            worker,
            ring: consumer,
            overflow,
            texts,
        },
    )
}

impl RecordWriter {
    /// The upper half of the worker's request ids.
    pub(crate) fn worker(&self) -> u64 {
        self.worker
    }

    /// Writes the texts of the `number`th request of the worker, if they are kept: before its
    /// record, and while its head is there.
    pub(crate) fn write_texts(&self, number: u64, head: Request<'_>) {
        self.texts.write(number, head);
    }

    /// Writes a call's record; if the ring is full, only counts the call.
    pub(crate) fn write(&self, record: Record) {
        if let Err(rtrb::PushError::Full(record)) = self.ring.borrow_mut().push(record) {
            let minute_us = record.at_us - record.at_us.rem_euclid(MINUTE_US);
            let key = (minute_us, record.api, record.version, record.status);
            let mut overflow = self.overflow.lock().unwrap_or_else(PoisonError::into_inner);
            *overflow.entry(key).or_default() += 1;
        }
    }
}

impl Records {
    /// The upper half of the worker's request ids.
    #[must_use]
    pub fn worker(&self) -> u64 {
        self.worker
    }

    /// Passes all available records to `each`, oldest first.
    pub fn drain(&mut self, each: &mut dyn FnMut(&Record)) {
        while let Ok(record) = self.ring.pop() {
            each(&record);
        }
    }

    /// Passes the texts of all calls that have begun to `each`, oldest first, as encoded by
    /// [`CallText::encode`](tollgate_model::call_text::CallText::encode). The texts of a call are
    /// available before its record is; those that found no room in the ring are missing.
    pub fn drain_texts(&mut self, each: &mut dyn FnMut(&[u8])) {
        if let Some(texts) = &mut self.texts {
            texts.drain(each);
        }
    }

    /// Takes the counts of calls with lost detail.
    pub fn overflow(&mut self) -> Vec<Overflow> {
        let mut overflow = self.overflow.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = std::mem::take(&mut *overflow).into_iter();
        calls
            .map(|((minute_us, api, version, status), calls)| Overflow {
                minute_us,
                api,
                version,
                status,
                calls,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
