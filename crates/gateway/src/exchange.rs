//! One request and its response, from `route` on: the one form in which the rooms see them,
//! independent of protocol and stream.

mod ahead;
pub(crate) mod answer;
mod cors;
pub(crate) mod late;
mod relay;
mod whole;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tollgate_http1::Broken;
use tollgate_http1::chunked::NotChunked;
use tollgate_http1::deadline::Deadline;
use tollgate_http1::relay::Coding;
use tollgate_http1::view::Request;
use tollgate_mediation::message::KeptNames;
use tollgate_model::agent::Agent;
use tollgate_model::id::{UserId, VersionId};
use tollgate_model::refusal::Refusal;

use crate::record::ARE_RECORDED;
use crate::refusal::{FormChoice, Refused};
use crate::snapshot::cors::Sharing;
use crate::snapshot::deprecation::Deprecation;
use crate::snapshot::policies::Steps;
use crate::snapshot::version::Version;
use crate::wire::connection::{BodyLength, CallerConnection};
use crate::wire::peer::Peer;
use crate::wire::portal::Origin;
use crate::wire::request_id::RequestId;
use crate::worker::Worker;

pub(crate) use tollgate_http1::server::More;

/// One request of so many is measured in detail.
const SAMPLED_EACH: u64 = 64;

/// Why a request did not get the upstream's whole response.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request is refused; the caller gets the reason.
    Refused(Refused),
    /// The response was cut by the upstream or the gateway after part of it was sent: too late for
    /// a refusal, so only the log and the record have the reason.
    AnswerCut(Refused),
    /// The caller left; nothing more can be sent.
    Cut,
}

// Nearly every room can return one, so results should stay small.
const _: () = assert!(size_of::<Failure>() <= 16);

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

/// The fate of the caller's connection after an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Keep it for another request.
    Request,
    /// Close it.
    Close,
    /// Reset it: the end of the body is the end of the connection, and the caller must see that it
    /// was cut.
    Abort,
}

/// The steps that shape refusals.
#[derive(Debug)]
pub(crate) struct ErrorSteps {
    pub(crate) steps: Arc<Steps>,
    /// What was kept of the request for them.
    pub(crate) kept: KeptNames,
}

/// A request being served: head, body source, response sink and deadline.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    caller: &'a mut CallerConnection,
    worker: &'a Worker,
    peer: &'a Peer,
    address: IpAddr,
    id: RequestId,
    began_us: i64,
    /// The portal origin that the request comes from, if any.
    portal: Option<Rc<Origin>>,
    /// What the version's CORS allows pages of the request's origin, instead of the portal's.
    sharing: OnceCell<Arc<Sharing>>,
    /// The version being called, once known.
    version: Cell<Option<VersionId>>,
    /// What the response announces, if that version is deprecated.
    deprecation: OnceCell<Arc<Deprecation>>,
    /// The steps of policies that shape refusals. Boxed: few versions have them.
    error_steps: RefCell<Option<Box<ErrorSteps>>>,
    /// The form of refusals for this caller, as far as known.
    form: Cell<FormChoice>,
    idle: Duration,
    /// How the response's body is framed.
    coding: Coding,
    may_persist: bool,
    /// The response's body ends with the connection.
    ends_with_connection: bool,
    is_cut: bool,
    is_head: bool,
    /// Whether the request's method is safe (RFC 9110, section 9.2.1).
    is_safe: bool,
    /// The owner of the calling application, once known.
    owner: Cell<Option<UserId>>,
    /// Why a response of the gateway's own was cut, for the log.
    unsent: Option<Refused>,
}

impl<'a> Exchange<'a> {
    /// Begins the exchange of a request with the head just read, the `served`th of its connection.
    pub(crate) fn begin(
        caller: &'a mut CallerConnection,
        worker: &'a Worker,
        peer: &'a Peer,
        served: u32,
    ) -> Self {
        let settings = &worker.settings;
        caller.begin_exchange();
        let is_head = caller.request().method() == b"HEAD";
        let is_safe = matches!(
            caller.request().method(),
            b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE"
        );
        let may_persist = caller.head.is_persistent
            && served < settings.requests_per_connection_max
            && !worker.is_draining();
        Self {
            address: peer.caller(caller.request()),
            worker,
            peer,
            id: worker.request_id(),
            portal: worker.portal.find(caller.request()),
            caller,
            began_us: worker.clock.now_us(),
            version: Cell::new(None),
            sharing: OnceCell::new(),
            deprecation: OnceCell::new(),
            error_steps: RefCell::new(None),
            form: Cell::default(),
            idle: settings.body_idle_timeout,
            coding: Coding::Plain,
            may_persist,
            ends_with_connection: false,
            is_cut: false,
            is_head,
            is_safe,
            owner: Cell::new(None),
            unsent: None,
        }
    }

    /// The request's head. [`Self::begin_body`] drops it.
    pub(crate) fn head(&self) -> Request<'_> {
        self.caller.request()
    }

    /// The worker that serves the request.
    pub(crate) fn worker(&self) -> &'a Worker {
        self.worker
    }

    pub(crate) fn peer(&self) -> &Peer {
        self.peer
    }

    /// The caller's address, also behind trusted proxies.
    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    /// The URL, up to its path, at which the caller reaches this gateway.
    pub(crate) fn public_url(&self) -> Cow<'a, str> {
        match &self.worker.settings.public_url {
            Some(url) => Cow::Borrowed(url),
            None => Cow::Owned(self.peer.requested_url(self.head())),
        }
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// The caller's program.
    pub(crate) fn agent(&self) -> Agent {
        const NAME: &[u8] = b"user-agent";
        let mut lines = self.head().lines().iter();
        // Most names differ in their length.
        let named = lines.find(|line| line.name().len() == NAME.len() && line.is(NAME));
        let mut agents = self.worker.agents.borrow_mut();
        named.map_or_else(Agent::default, |line| agents.of(line.value()))
    }

    /// Begins to measure a step, in one request of [`SAMPLED_EACH`].
    pub(crate) fn begin_sample(&self) -> Option<Instant> {
        let is_sampled = ARE_RECORDED && self.id.number().is_multiple_of(SAMPLED_EACH);
        is_sampled.then(Instant::now)
    }

    /// When the exchange began, Unix microseconds.
    pub(crate) fn began_us(&self) -> i64 {
        self.began_us
    }

    /// The version being called, once known.
    pub(crate) fn version(&self) -> Option<VersionId> {
        self.version.get()
    }

    /// Sets the version that the request is for.
    pub(crate) fn is_for(&self, version: &Version) {
        self.version.set(Some(version.served.id));
        self.form.set(FormChoice::for_version(&version.served));
        if let Some(deprecation) = &version.deprecation {
            let _is_first = self.deprecation.set(Arc::clone(deprecation));
        }
        if let Some(cors) = &version.cors {
            self.share(cors);
        }
        if let Some(steps) = &version.steps {
            self.shape_refusals(steps, KeptNames::default());
        }
    }

    /// Sets the owner of the calling application, if any, who is accountable for the bodies of the
    /// exchange.
    pub(crate) fn is_of(&self, owner: Option<UserId>) {
        self.owner.set(owner);
    }

    /// Sets the steps that shape refusals from now on, and what was kept of the request for them.
    pub(crate) fn shape_refusals(&self, steps: &Arc<Steps>, kept: KeptNames) {
        if !steps.program.error.is_empty() {
            let steps = Arc::clone(steps);
            *self.error_steps.borrow_mut() = Some(Box::new(ErrorSteps { steps, kept }));
        }
    }

    /// Takes the steps that shape refusals, if any.
    pub(crate) fn take_error_steps(&self) -> Option<Box<ErrorSteps>> {
        self.error_steps.take()
    }

    /// The form of refusals for this caller, as far as known.
    pub(crate) fn form(&self) -> &Cell<FormChoice> {
        &self.form
    }

    /// The length of the request's body, as far as its head declares it.
    pub(crate) fn body_length(&self) -> BodyLength {
        self.caller.head.framing.into()
    }

    /// Whether the request is `HEAD`.
    pub(crate) fn is_head(&self) -> bool {
        self.is_head
    }

    /// The deadline of the current wait and of the whole exchange.
    pub(crate) fn deadline(&self) -> &Deadline {
        &self.caller.deadline
    }

    /// Bytes of the request's body read so far.
    pub(crate) fn bytes_in(&self) -> u64 {
        self.caller.body.bytes
    }

    /// Bytes of the response's body written so far.
    pub(crate) fn bytes_out(&self) -> u64 {
        self.caller.answered.bytes()
    }

    /// Closes the connection after this response.
    pub(crate) fn end_after(&mut self) {
        self.may_persist = false;
    }

    /// Marks the response, and with it the connection, as cut.
    pub(crate) fn cut(&mut self) {
        self.may_persist = false;
        self.is_cut = true;
    }

    /// Whether the connection can carry another request after a response that begins now.
    fn can_persist(&self) -> bool {
        self.may_persist && self.caller.can_drain()
    }

    /// Returns the bytes of the request's body that have arrived, and whether they are all.
    ///
    /// # Errors
    /// The chunked body is malformed.
    pub(crate) fn peek<'b>(
        &'b self,
        scratch: &'b mut Vec<u8>,
    ) -> Result<(&'b [u8], bool), NotChunked> {
        self.caller.peek(scratch)
    }

    /// Reads more of the request's body for [`Self::peek`], at most `bytes_max` in all.
    ///
    /// # Errors
    /// The body does not arrive.
    pub(crate) async fn peek_more(&mut self, bytes_max: usize) -> Result<More, Failure> {
        // Answers `Expect: 100-continue` while the head is still available.
        let invited = self.caller.invite_body().await;
        invited.map_err(|_| Failure::Cut)?;
        match self.caller.peek_more(bytes_max, self.idle).await {
            Ok(more) => Ok(more),
            Err(Broken::TimedOut(late)) => Err(self.late_body(late).into()),
            Err(Broken::Io(_)) => Err(Failure::Cut),
        }
    }

    /// Waits for a future until the deadline, or until the caller leaves; the head stays.
    ///
    /// # Errors
    /// As [`Server::wait_for`](tollgate_http1::server::Server::wait_for).
    pub(crate) async fn wait_for<F: Future + Unpin>(
        &mut self,
        awaited: &mut F,
    ) -> Result<F::Output, Broken> {
        self.caller.wait_for(awaited).await
    }

    /// Drops the head and holds no buffer while waiting for anything but the caller.
    pub(crate) fn park(&mut self) {
        self.caller.park();
    }

    /// Answers `Expect: 100-continue`, if any. Drops the head.
    pub(crate) async fn invite_body(&mut self) -> Result<(), Failure> {
        self.caller.begin_body();
        let invited = self.caller.invite_body().await;
        invited.map_err(|_| Failure::Cut)
    }

    /// Ends the exchange; drains the rest of the request if the connection is kept.
    pub(crate) async fn end(&mut self) -> Next {
        let can_persist = self.can_persist() && self.caller.drain(self.idle).await.is_ok();
        self.caller.deadline.unlimit();
        match can_persist {
            true => Next::Request,
            false if self.is_cut && self.ends_with_connection => Next::Abort,
            false => Next::Close,
        }
    }
}
