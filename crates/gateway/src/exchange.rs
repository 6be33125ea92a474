//! One request and its answer, from `route` on: the one shape in which the rooms see them, whatever
//! protocol and stream carry them.

pub(crate) mod answer;
pub(crate) mod late;
mod relay;

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tollgate_http1::Broken;
use tollgate_http1::chunked::NotChunked;
use tollgate_http1::deadline::Deadline;
use tollgate_http1::relay::Coding;
use tollgate_http1::view::Request;
use tollgate_http1::whole::{Unread, WholeBody};
use tollgate_model::feed::ServedVersion;
use tollgate_model::id::VersionId;
use tollgate_model::refusal::Refusal;

use crate::refusal::{FormChoice, Refused};
use crate::wire::connection::{BodyLength, CallerConnection};
use crate::wire::peer::Peer;
use crate::wire::portal::Origin;
use crate::wire::request_id::RequestId;
use crate::worker::Worker;

pub(crate) use tollgate_http1::server::More;

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
    /// The version that is called, once it is found.
    version: Cell<Option<VersionId>>,
    /// In which form the caller gets refusals, as far as it is known.
    form: Cell<FormChoice>,
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
            version: Cell::new(None),
            form: Cell::default(),
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
        self.version.get()
    }

    /// The request is for this version.
    pub(crate) fn is_for(&self, served: &ServedVersion) {
        self.version.set(Some(served.id));
        self.form.set(FormChoice::of(served));
    }

    /// In which form the caller gets refusals, as far as it is known.
    pub(crate) fn form(&self) -> &Cell<FormChoice> {
        &self.form
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
