//! The form of a refusal: a problem document, or a SOAP fault for SOAP callers.

use tollgate_http1::view::Request;
use tollgate_model::feed::ServedVersion;
use tollgate_model::refusal::Blame;
use tollgate_model::soap::FaultStatus;
use tollgate_soap::dispatch::{self, Prefix};
use tollgate_soap::fault::{self, Fault, Party};
use tollgate_soap::version::SoapVersion;

use super::Refused;
use crate::wire::soap_head;

/// Maximum decompressed bytes of a body when only its SOAP version is needed.
const PREFIX_BYTES: usize = 1024;

/// The form of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A problem document (RFC 9457).
    Problem,
    /// A fault in a version of SOAP, with the rule for its HTTP status.
    Fault(SoapVersion, FaultStatus),
}

/// What the form depends on, as far as an exchange knows it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FormChoice {
    callee: Callee,
    /// The SOAP version of the caller, once `operation` has found it.
    spoken: Option<SoapVersion>,
}

#[derive(Debug, Clone, Copy, Default)]
enum Callee {
    /// No API was found.
    #[default]
    Unknown,
    Rest,
    /// A SOAP service, with the rule for the status of its faults.
    Soap(FaultStatus),
}

impl FormChoice {
    /// For calls of this version.
    pub(crate) fn for_version(served: &ServedVersion) -> Self {
        let soap = served.soap.as_ref().filter(|soap| soap.rest.is_none());
        Self {
            callee: soap.map_or(Callee::Rest, |soap| Callee::Soap(soap.fault_status)),
            spoken: None,
        }
    }

    /// Sets the SOAP version of the caller.
    pub(crate) fn spoken(self, version: SoapVersion) -> Self {
        let spoken = Some(version);
        Self { spoken, ..self }
    }

    /// The form after the request's head was dropped.
    pub(crate) fn without_head(self) -> Form {
        match (self.status(), self.spoken) {
            (Some(status), Some(version)) => Form::Fault(version, status),
            _ => Form::Problem,
        }
    }

    /// The form according to the head and the first bytes of the body, which are all of it if
    /// `is_whole`. Nothing more is read for it.
    pub(crate) fn with_head(self, head: Request<'_>, bytes: &[u8], is_whole: bool) -> Form {
        let Some(status) = self.status() else {
            return Form::Problem;
        };
        if self.spoken.is_some() || head.method() != b"POST" {
            return self.without_head();
        }
        let message = soap_head::read(head);
        let prefix = Prefix {
            bytes,
            is_whole,
            bytes_max: PREFIX_BYTES,
        };
        let Some(version) = dispatch::spoken(&message, prefix) else {
            return Form::Problem;
        };
        // XML text sent to no API at all may be anything.
        let is_sure = version == SoapVersion::V1_2 || message.soap_action.is_some();
        match self.callee {
            Callee::Unknown if !is_sure => Form::Problem,
            _ => Form::Fault(version, status),
        }
    }

    /// The status rule of faults, if refusals may be faults.
    fn status(self) -> Option<FaultStatus> {
        match self.callee {
            Callee::Unknown => Some(FaultStatus::default()),
            Callee::Rest => None,
            Callee::Soap(status) => Some(status),
        }
    }
}

impl Refused {
    /// Renders a SOAP fault: status, media type and body.
    pub(super) fn fault(
        &self,
        request: &str,
        version: SoapVersion,
        status: FaultStatus,
    ) -> (u16, &'static str, Vec<u8>) {
        let facts = self.refusal.facts();
        let party = match facts.blame {
            Blame::Caller => Party::Sender,
            Blame::Provider | Blame::Us => Party::Receiver,
        };
        let fault = Fault {
            party,
            code: facts.code,
            status: facts.status,
            title: facts.title,
            detail: self.detail.as_deref(),
            policy: self.policy(),
            request_id: request,
        };
        let status = match status {
            FaultStatus::Soap => fault::status(version, party, facts.status),
            FaultStatus::Http => facts.status,
        };
        let media_type = match version {
            SoapVersion::V1_1 => "text/xml; charset=utf-8",
            SoapVersion::V1_2 => "application/soap+xml; charset=utf-8",
        };
        (status, media_type, fault.envelope(version).into_bytes())
    }
}
