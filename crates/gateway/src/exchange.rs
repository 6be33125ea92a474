//! One request and its answer, from `route` on: the one shape in which the rooms see them, whatever
//! protocol and stream carry them.

pub(crate) mod late;
mod relay;

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tollgate_http1::Broken;
use tollgate_http1::chunked::NotChunked;
use tollgate_http1::deadline::Deadline;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::Coding;
use tollgate_http1::view::Request;
use tollgate_http1::whole::{Unread, WholeBody};
use tollgate_model::feed::ServedVersion;
use tollgate_model::id::VersionId;
use tollgate_model::refusal::Refusal;
use tollgate_model::soap::FaultStatus;
use tollgate_soap::dispatch::{self, Prefix};
use tollgate_soap::version::SoapVersion;

use crate::answer_head::AnswerHead;
use crate::connection::{BodyLength, CallerConnection};
use crate::peer::Peer;
use crate::portal::Origin;
use crate::record::RecordBuilder;
use crate::refusal::{Frame, Refused, Soap};
use crate::request_id::RequestId;
use crate::soap_head;
use crate::worker::Worker;

pub(crate) use tollgate_http1::server::More;

/// Bytes that a compressed body may become when only its version of SOAP is looked for.
const PREFIX_BYTES: usize = 1024;

/// Why a request got no whole answer of the upstream's.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It is refused: the caller gets the reason.
    Refused(Refused),
    /// The upstream broke off, or the gateway did, when the caller had a part of its answer: too
    /// late for a refusal, which only the log and the record have.
    AnswerCut(Refused),
    /// The caller left: nothing can be said any more.
    Cut,
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

/// What becomes of a caller's connection after an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// It may carry another request.
    Request,
    /// It ends.
    Close,
    /// It ends so that the caller sees that the answer was cut, which only its end could tell.
    Abort,
}

/// A request being served: its head, its body's source, its answer's sink, and its deadline.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    caller: &'a mut CallerConnection,
    peer: &'a Peer,
    id: RequestId,
    began_us: i64,
    /// The portal's origin that it comes from, if it does.
    portal: Option<Rc<Origin>>,
    subject: Cell<Option<Subject>>,
    /// The version of SOAP that the caller speaks, once `operation` knew it.
    dialect: Option<SoapVersion>,
    idle: Duration,
    /// How the answer's body is framed.
    coding: Coding,
    may_go_on: bool,
    /// The answer's body ends with the connection.
    ends_with_connection: bool,
    is_cut: bool,
    is_head: bool,
    /// Why an answer of the gateway's own was cut, if it was: for the log.
    unsent: Option<Box<Refused>>,
}

/// What is called, as far as refusals and the log depend on it.
#[derive(Debug, Clone, Copy)]
struct Subject {
    version: VersionId,
    /// Which status the faults of a SOAP service have.
    faults: Option<FaultStatus>,
}

impl<'a> Exchange<'a> {
    /// Begins with a request whose head has just been read, the `served`th of its connection.
    pub(crate) fn begin(
        caller: &'a mut CallerConnection,
        worker: &Worker,
        (peer, served): (&'a Peer, u32),
    ) -> Self {
        let settings = &worker.settings;
        caller.begin_exchange();
        let is_head = caller.request().method() == b"HEAD";
        let may_go_on = caller.head.is_persistent
            && served < settings.requests_per_connection_max
            && !worker.is_draining();
        Self {
            peer,
            id: worker.request_id(),
            portal: worker.portal.of(caller.request()),
            caller,
            began_us: worker.clock.now_us(),
            subject: Cell::new(None),
            dialect: None,
            idle: settings.body_idle_timeout,
            coding: Coding::Plain,
            may_go_on,
            ends_with_connection: false,
            is_cut: false,
            is_head,
            unsent: None,
        }
    }

    /// The request's head, until [`Self::begin_body`]: what it holds is gone then.
    pub(crate) fn head(&self) -> Request<'_> {
        self.caller.request()
    }

    pub(crate) fn peer(&self) -> &Peer {
        self.peer
    }

    /// Whether a page of the portal calls.
    pub(crate) fn is_for_portal(&self) -> bool {
        self.portal.is_some()
    }

    /// The field lines that open an answer to the page that calls.
    fn opening(&self) -> &[u8] {
        self.portal.as_deref().map_or(b"", Origin::lines)
    }

    /// The URL, up to its path, by which the caller reaches this gateway.
    pub(crate) fn public_url<'u>(&self, worker: &'u Worker) -> Cow<'u, str> {
        match &worker.settings.public_url {
            Some(url) => Cow::Borrowed(url),
            None => Cow::Owned(self.peer.asked_url(self.head())),
        }
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// When it began, Unix microseconds.
    pub(crate) fn began_us(&self) -> i64 {
        self.began_us
    }

    /// The version that is called, once it is found.
    pub(crate) fn version(&self) -> Option<VersionId> {
        self.subject.get().map(|subject| subject.version)
    }

    /// The request is for this version.
    pub(crate) fn is_for(&self, served: &ServedVersion) {
        let soap = served.soap.as_ref().filter(|soap| soap.rest.is_none());
        self.subject.set(Some(Subject {
            version: served.id,
            faults: soap.map(|soap| soap.fault_status),
        }));
    }

    /// The caller speaks this version of SOAP.
    pub(crate) fn speaks(&mut self, version: SoapVersion) {
        self.dialect = Some(version);
    }

    pub(crate) fn is_head(&self) -> bool {
        self.is_head
    }

    /// How long the request's body is, as far as its head says.
    pub(crate) fn body_length(&self) -> BodyLength {
        self.caller.head.framing.into()
    }

    /// When the wait ends that is under way, and the whole exchange.
    pub(crate) fn deadline(&self) -> &Deadline {
        &self.caller.deadline
    }

    /// Bytes of the request's body that were read.
    pub(crate) fn bytes_in(&self) -> u64 {
        self.caller.body.bytes
    }

    /// The connection ends after this answer.
    pub(crate) fn end_after(&mut self) {
        self.may_go_on = false;
    }

    /// The answer is cut, and the connection with it.
    pub(crate) fn cut(&mut self) {
        self.may_go_on = false;
        self.is_cut = true;
    }

    /// Whether the connection may carry another request after an answer that begins now.
    fn goes_on(&self) -> bool {
        self.may_go_on && self.caller.can_drain()
    }

    /// Ends the head of an answer that begins now; its body's length is in it.
    pub(crate) fn end_head(&mut self, head: AnswerHead<'_>) {
        self.may_go_on = self.goes_on();
        head.end(self.id.bytes(), self.opening(), !self.may_go_on);
    }

    /// Answers with a refusal.
    pub(crate) async fn refuse(
        &mut self,
        refused: &Refused,
        worker: &Worker,
        record: &mut RecordBuilder,
    ) {
        record.refused(refused.refusal);
        let soap = self.soap(worker);
        self.caller.begin_body();
        self.may_go_on = self.goes_on();
        let mut out = worker.buffer_pool.scratch();
        let frame = Frame {
            request: self.id.text(),
            is_head: self.is_head,
            closes: !self.may_go_on,
            opening: self.opening(),
            soap,
        };
        let bytes = refused.render(&mut out, frame);
        self.write((&out, b""), bytes, record).await;
    }

    /// How the caller gets refusals, where that is as SOAP faults: by its version of SOAP, as far
    /// as the head and what has come of the body tell it. Nothing more is read for it.
    fn soap(&self, worker: &Worker) -> Option<Soap> {
        let subject = self.subject.get();
        let status = match subject {
            Some(subject) => subject.faults?,
            None => FaultStatus::default(),
        };
        if let Some(version) = self.dialect {
            return Some(Soap { version, status });
        }
        if self.caller.head_bytes().is_empty() || self.head().method() != b"POST" {
            return None;
        }
        let said = soap_head::read(self.head());
        let mut scratch = worker.buffer_pool.scratch();
        let (bytes, is_whole) = self.caller.peek(&mut scratch).unwrap_or_default();
        let prefix = Prefix {
            bytes,
            is_whole,
            bytes_max: PREFIX_BYTES,
        };
        let version = dispatch::spoken(&said, prefix)?;
        // Text in XML to no API at all may be anything.
        let is_sure = version == SoapVersion::V1_2 || said.soap_action.is_some();
        (subject.is_some() || is_sure).then_some(Soap { version, status })
    }

    /// Looks at the request's body as far as it has come: its bytes, and whether they are all.
    ///
    /// # Errors
    /// Its chunks are malformed.
    pub(crate) fn peek<'b>(
        &'b self,
        scratch: &'b mut Vec<u8>,
    ) -> Result<(&'b [u8], bool), NotChunked> {
        self.caller.peek(scratch)
    }

    /// Reads more of the request's body, to be looked at: at most `bytes_max` of it.
    ///
    /// # Errors
    /// It does not come.
    pub(crate) async fn peek_on(&mut self, bytes_max: usize) -> Result<More, Failure> {
        // A caller that waits to be asked is asked, with the head still there.
        let invited = self.caller.invite_body().await;
        invited.map_err(|_| Failure::Cut)?;
        match self.caller.peek_on(bytes_max, self.idle).await {
            Ok(more) => Ok(more),
            Err(Broken::TimedOut(late)) => Err(self.late_body(late).into()),
            Err(Broken::Io(_)) => Err(Failure::Cut),
        }
    }

    /// Is done with the head.
    pub(crate) fn begin_body(&mut self) {
        self.caller.begin_body();
    }

    /// Is done with the head, and holds no buffer while something else than the caller is awaited.
    pub(crate) fn park(&mut self) {
        self.caller.park();
    }

    /// Asks for the body, where the caller waits to be asked. The head is gone afterwards.
    pub(crate) async fn invite_body(&mut self) -> Result<(), Failure> {
        self.caller.begin_body();
        let invited = self.caller.invite_body().await;
        invited.map_err(|_| Failure::Cut)
    }

    /// Reads the request's body to its end. The head is gone afterwards.
    pub(crate) async fn read_body(&mut self, bytes_max: u64) -> Result<WholeBody, Failure> {
        let read = self.caller.read_body(bytes_max, self.idle).await;
        read.map_err(|unread| match unread {
            Unread::TooLarge => Refusal::BodyTooLarge.into(),
            Unread::Malformed(_) => {
                let detail = "The body is not well-formed chunks.";
                Refused::because(Refusal::BadRequest, detail).into()
            }
            Unread::Broken(Broken::TimedOut(late)) => self.late_body(late).into(),
            Unread::Broken(Broken::Io(_)) | Unread::CallerLeft => Failure::Cut,
        })
    }

    /// Writes an answer of the gateway's own: its head, and the body after it.
    pub(crate) async fn give(&mut self, head: &[u8], body: &[u8], record: &mut RecordBuilder) {
        self.write((head, body), body.len() as u64, record).await;
    }

    /// Like [`Self::give`], but head and body leave in one write.
    pub(crate) async fn give_own(
        &mut self,
        head: &[u8],
        own: &mut OwnBody,
        record: &mut RecordBuilder,
    ) {
        let body_bytes = own.body().len() as u64;
        self.write(own.behind(head), body_bytes, record).await;
    }

    async fn write(
        &mut self,
        (head, body): (&[u8], &[u8]),
        body_bytes: u64,
        record: &mut RecordBuilder,
    ) {
        match self.caller.write_both(head, body, self.idle).await {
            Ok(()) => record.bytes_out(body_bytes),
            Err(broken) => {
                self.end_after();
                if let Broken::TimedOut(late) = broken {
                    record.cut_for(Refusal::AnswerTime);
                    self.unsent = Some(Box::new(self.late_answer(late, 0)));
                } else {
                    record.cut();
                }
            }
        }
    }

    /// Ends the exchange: reads away what is left of the request, if the connection goes on.
    pub(crate) async fn end(self) -> Next {
        let goes_on = self.goes_on() && self.caller.drain(self.idle).await.is_ok();
        self.caller.deadline.unlimit();
        match goes_on {
            true => Next::Request,
            false if self.is_cut && self.ends_with_connection => Next::Abort,
            false => Next::Close,
        }
    }
}
