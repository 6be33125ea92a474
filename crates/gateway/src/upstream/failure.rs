//! Failures of upstreams: the refusal for the caller, the cause for the log.

use tollgate_http1::Broken;
use tollgate_http1::client::NoAnswer;
use tollgate_http1::deadline::Late;
use tollgate_http1::pool;
use tollgate_http1::relay::RelayError;
use tollgate_model::refusal::{Blame, Refusal};

use super::connect::NoConnection;
use crate::choose::Chosen;
use crate::exchange::late::cause;
use crate::exchange::{Exchange, Failure};
use crate::refusal::Refused;
use crate::snapshot::version::Target;
use crate::worker::warnings::chain;

/// How one attempt failed.
pub(super) enum Attempt {
    /// The connection ended before the first byte of a final response.
    Unanswered(Refused),
    Refused(Refused),
    /// The caller's body did not arrive in time.
    LateBody(Late),
    /// The caller's connection broke.
    Caller,
}

impl Attempt {
    /// A violation of HTTP by the upstream.
    pub(super) fn broken(cause: &str) -> Self {
        let refused = Refused::from(Refusal::UpstreamBroken);
        Self::Refused(refused.caused_by(cause.to_owned()))
    }

    /// The failure of the call after `bytes` of the response's head.
    pub(super) fn failure(
        self,
        exchange: &mut Exchange<'_>,
        target: &Target,
        bytes: usize,
    ) -> Failure {
        let authority = &target.served.authority;
        let place = &format!("{authority} after {bytes} bytes of its response");
        match self {
            Self::Unanswered(refused) => Failure::Refused(refused.at(place)),
            Self::Refused(refused) => {
                if refused.refusal.facts().blame == Blame::Caller {
                    exchange.end_after();
                }
                Failure::Refused(refused.at(place))
            }
            Self::LateBody(late) => exchange.late_body(late).into(),
            Self::Caller => Failure::Cut,
        }
    }
}

impl From<RelayError> for Attempt {
    fn from(error: RelayError) -> Self {
        let refusal = match error {
            RelayError::Caller(Broken::TimedOut(late)) => return Self::LateBody(late),
            RelayError::Caller(Broken::Io(_)) => return Self::Caller,
            RelayError::Upstream(Broken::Io(_)) => {
                let refused = Refused::from(Refusal::UpstreamBroken);
                return Self::Unanswered(refused.caused_by(chain(&error)));
            }
            RelayError::Upstream(Broken::TimedOut(late)) => {
                let refused = Refused::from(Refusal::UpstreamTimeout);
                let cause = format!("it does not read the request: {}", cause(late));
                return Self::Refused(refused.caused_by(cause));
            }
            RelayError::UpstreamBody { .. } => Refusal::UpstreamBroken,
            RelayError::TooLarge => Refusal::BodyTooLarge,
            RelayError::CallerBody(_) => {
                let detail = "The chunked body is malformed.";
                return Self::Refused(Refused::because(Refusal::BadRequest, detail));
            }
        };
        Self::Refused(Refused::from(refusal).caused_by(chain(&error)))
    }
}

impl From<NoAnswer> for Attempt {
    fn from(error: NoAnswer) -> Self {
        let (refusal, attempt): (_, fn(Refused) -> Self) = match &error {
            NoAnswer::CallerLeft => return Self::Caller,
            NoAnswer::Closed(_) => (Refusal::UpstreamBroken, Self::Unanswered),
            NoAnswer::Broken(Broken::TimedOut(late)) => {
                let refused = Refused::from(Refusal::UpstreamTimeout);
                return Self::Refused(refused.caused_by(cause(*late).to_owned()));
            }
            NoAnswer::Malformed(malformed) => {
                let detail = format!("The head of the response is malformed: {malformed}.");
                let refused = Refused::because(Refusal::UpstreamBroken, detail);
                return Self::Refused(refused.caused_by(chain(&error)));
            }
            NoAnswer::Broken(Broken::Io(_)) => (Refusal::UpstreamBroken, Self::Refused),
        };
        attempt(Refused::from(refusal).caused_by(chain(&error)))
    }
}

/// The failure of a call for which the pool has no connection.
pub(super) fn unconnected(
    chosen: &Chosen<'_, '_>,
    error: &pool::NoConnection<NoConnection>,
) -> Failure {
    let refusal = match error {
        pool::NoConnection::Busy => Refusal::UpstreamPool,
        pool::NoConnection::Connect(NoConnection::Forbidden(_)) => Refusal::UpstreamForbidden,
        pool::NoConnection::Connect(error) if error.is_untrusted() => Refusal::UpstreamCertificate,
        pool::NoConnection::Connect(_) => Refusal::UpstreamConnect,
    };
    let refused = Refused::from(refusal).caused_by(chain(error));
    Failure::Refused(refused.at(&chosen.target().served.authority))
}
