//! Transfers that the gateway cuts because they take too long: what the caller and the log read.

use tollgate_http1::deadline::Late;
use tollgate_model::refusal::Refusal;

use super::Exchange;
use crate::refusal::Refused;

const CALLER_IDLE: &str = "gateway.body_idle_timeout_ms is over";

impl Exchange<'_> {
    /// The refusal of a request whose body did not come in time. The connection ends after it.
    pub(crate) fn late_body(&mut self, late: Late) -> Refused {
        self.end_after();
        let refusal = Refusal::BodyTime;
        let (refused, cause) = match late {
            Late::Idle => (refusal.into(), CALLER_IDLE),
            Late::Slow => (
                Refused::because(refusal, "The body came too slowly."),
                cause(late),
            ),
            Late::Exchange | Late::Transfer => (
                Refused::because(refusal, "The body took too long."),
                cause(late),
            ),
        };
        let (peer, bytes) = (self.peer.address(), self.bytes_in());
        let place = format!("{peer} after {bytes} bytes of its body");
        refused.caused_by(cause.to_owned()).at(&place)
    }

    /// The reason why an answer, of whose body `bytes` had come, was cut: the caller did not read
    /// it in time.
    pub(crate) fn late_answer(&self, late: Late, bytes: u64) -> Refused {
        let cause = match late {
            Late::Idle => CALLER_IDLE,
            late => cause(late),
        };
        let place = format!("{} after {bytes} bytes of its answer", self.peer.address());
        let refused = Refused::from(Refusal::AnswerTime);
        refused.caused_by(cause.to_owned()).at(&place)
    }

    /// Why an answer of the gateway's own was cut, if it was.
    pub(crate) fn unsent(&self) -> Option<&Refused> {
        self.unsent.as_deref()
    }
}

/// Why an upstream had no more time, for the log.
pub(crate) fn cause(late: Late) -> &'static str {
    match late {
        Late::Idle => "its time-out is over",
        Late::Slow => "slower than gateway.transfer_bytes_per_second_min",
        Late::Exchange => "gateway.exchange_timeout_ms is over",
        Late::Transfer => "gateway.transfer_timeout_ms is over",
    }
}
