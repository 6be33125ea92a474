//! One request and its answer on the caller's connection: from `route` on, the one shape in which
//! the rooms see it.

use std::time::Duration;

use tokio::net::TcpStream;
use tollgate_http1::Broken;
use tollgate_http1::framing::Version;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::server::Server;
use tollgate_http1::whole::{Unread, WholeBody};
use tollgate_model::refusal::Refusal;
use tollgate_model::soap::FaultStatus;
use tollgate_soap::dispatch::{self, Prefix};
use tollgate_soap::version::SoapVersion;

use crate::operation;
use crate::peer::Peer;
use crate::record::{Kind, Note};
use crate::refusal::{Frame, Refused, Soap};
use crate::worker::Worker;

/// Bytes that a compressed body may become when only its version of SOAP is looked for.
const PREFIX_BYTES: usize = 1024;

/// Why a request got no whole answer of the upstream's.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It is refused: the caller gets the reason.
    Refused(Refused),
    /// The upstream broke off when the caller had a part of its answer: too late for a refusal, of
    /// which the log alone hears.
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

/// A request being served.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    pub(crate) server: &'a mut Server<TcpStream>,
    pub(crate) peer: &'a Peer,
    pub(crate) request: RequestId,
    /// The version of SOAP that the caller speaks, once `operation` knew it.
    pub(crate) dialect: Option<SoapVersion>,
    idle: Duration,
    may_go_on: bool,
    is_head: bool,
}

impl<'a> Exchange<'a> {
    /// Begins with a request whose head has just been read, the `served`th of its connection.
    pub(crate) fn begin(
        server: &'a mut Server<TcpStream>,
        worker: &Worker,
        (peer, served): (&'a Peer, u32),
    ) -> Self {
        let settings = &worker.settings;
        server.deadline.limit(settings.exchange_timeout);
        let is_head = server.head.method.of_bytes(server.head_bytes()) == b"HEAD";
        let may_go_on = server.head.is_persistent
            && served < settings.requests_per_connection_max
            && !worker.is_draining();
        let request = worker.request_id();
        let idle = settings.body_idle_timeout;
        Self {
            server,
            peer,
            request,
            dialect: None,
            idle,
            may_go_on,
            is_head,
        }
    }

    pub(crate) fn is_head(&self) -> bool {
        self.is_head
    }

    /// Whether the caller speaks HTTP/1.1 and so takes the chunked coding.
    pub(crate) fn takes_chunks(&self) -> bool {
        self.server.head.version == Version::Http11
    }

    /// The connection ends after this answer.
    pub(crate) fn end_after(&mut self) {
        self.may_go_on = false;
    }

    /// Whether the connection may carry another request after an answer that begins now.
    pub(crate) fn goes_on(&self) -> bool {
        self.may_go_on && self.server.can_drain()
    }

    /// Answers with a refusal.
    pub(crate) async fn refuse(&mut self, refused: &Refused, worker: &Worker, note: &mut Note) {
        note.refused(refused.refusal);
        let soap = self.soap(worker, note.kind());
        self.server.begin_body();
        if !self.goes_on() {
            self.end_after();
        }
        let mut out = worker.buffer_pool.scratch();
        let frame = Frame {
            request: self.request.text(),
            is_head: self.is_head,
            closes: !self.may_go_on,
            soap,
        };
        let bytes = refused.render(&mut out, frame);
        match self.server.write(&out, self.idle).await {
            Ok(()) => note.bytes_out(bytes),
            // The caller left, or does not read.
            Err(_) => {
                note.cut();
                self.end_after();
            }
        }
    }

    /// How the caller gets refusals, where that is as SOAP faults: by its version of SOAP, as far
    /// as the head and what has come of the body tell it. Nothing more is read for it.
    fn soap(&self, worker: &Worker, kind: Kind) -> Option<Soap> {
        let status = match kind {
            Kind::Rest => return None,
            Kind::Soap(status) => status,
            Kind::Unknown => FaultStatus::default(),
        };
        if let Some(version) = self.dialect {
            return Some(Soap { version, status });
        }
        let (head, bytes) = (&self.server.head, self.server.head_bytes());
        if bytes.is_empty() || head.method.of_bytes(bytes) != b"POST" {
            return None;
        }
        let said = operation::head(head, bytes);
        let mut scratch = worker.buffer_pool.scratch();
        let (bytes, is_whole) = self.server.peek(&mut scratch).unwrap_or_default();
        let prefix = Prefix {
            bytes,
            is_whole,
            bytes_max: PREFIX_BYTES,
        };
        let version = dispatch::spoken(&said, prefix)?;
        // Text in XML to no API at all may be anything.
        let is_sure = version == SoapVersion::V1_2 || said.soap_action.is_some();
        (kind != Kind::Unknown || is_sure).then_some(Soap { version, status })
    }

    /// Asks for the body, where the caller waits to be asked. The head is gone afterwards.
    pub(crate) async fn invite_body(&mut self) -> Result<(), Failure> {
        self.server.begin_body();
        let invited = self.server.invite_body().await;
        invited.map_err(|_| Failure::Cut)
    }

    /// Reads the request's body to its end. The head is gone afterwards.
    pub(crate) async fn read_body(&mut self, bytes_max: u64) -> Result<WholeBody, Failure> {
        let read = self.server.read_body(bytes_max, self.idle).await;
        read.map_err(|unread| match unread {
            Unread::TooLarge => Refusal::BodyTooLarge.into(),
            Unread::Malformed(_) => {
                let detail = "The body is not well-formed chunks.";
                Refused::because(Refusal::BadRequest, detail).into()
            }
            Unread::Broken(Broken::TimedOut) => {
                self.end_after();
                Refusal::BodyTime.into()
            }
            Unread::Broken(Broken::Io(_)) | Unread::CallerLeft => Failure::Cut,
        })
    }

    /// Writes an answer of the gateway's own: its head, and the body after it.
    pub(crate) async fn give(&mut self, head: &[u8], body: &[u8], note: &mut Note) {
        self.write((head, body), body.len(), note).await;
    }

    /// The same, of a body that has room for its head.
    pub(crate) async fn give_own(&mut self, head: &[u8], own: &mut OwnBody, note: &mut Note) {
        let body_bytes = own.body().len();
        self.write(own.behind(head), body_bytes, note).await;
    }

    async fn write(&mut self, (head, body): (&[u8], &[u8]), body_bytes: usize, note: &mut Note) {
        let written = self.server.write_both(head, body, self.idle).await;
        match written {
            Ok(()) => note.bytes_out(body_bytes as u64),
            // The caller left, or does not read.
            Err(_) => {
                note.cut();
                self.end_after();
            }
        }
    }

    /// Ends the exchange: reads away what is left of the request, if the connection goes on;
    /// whether it does.
    pub(crate) async fn end(self) -> bool {
        let goes_on = self.goes_on() && self.server.drain(self.idle).await.is_ok();
        self.server.deadline.unlimit();
        goes_on
    }
}

/// The id of one request: 32 hexadecimal digits, unique over workers and restarts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestId {
    digits: [u8; 32],
    value: u128,
}

impl RequestId {
    pub(crate) fn new(value: u128) -> Self {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(value.to_be_bytes()) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        Self { digits, value }
    }

    pub(crate) fn value(&self) -> u128 {
        self.value
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.digits
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.digits).expect("ASCII digits")
    }
}
