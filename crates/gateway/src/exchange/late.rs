//! Transfers that the gateway cuts because they take too long: the texts for callers and the log.

use tollgate_http1::deadline::Late;
use tollgate_model::refusal::Refusal;

use super::Exchange;
use crate::refusal::Refused;

/// Why a body was given up for others, for the log.
pub(crate) const GAVE_WAY: &str = "gave way to others in gateway.buffered_bytes_max";
const CALLER_IDLE: &str = "exceeded gateway.body_idle_timeout_ms";

impl Exchange<'_> {
    /// The refusal of a request with a body that is late. Closes the connection after it.
    pub(crate) fn late_body(&mut self, late: Late) -> Refused {
        self.end_after();
        let refusal = Refusal::BodyTime;
        let (refused, cause) = match late {
            Late::Idle => (refusal.into(), CALLER_IDLE),
            Late::Slow => (
                Refused::because(refusal, "The body arrived too slowly."),
                cause(late),
            ),
            Late::Exchange | Late::Transfer => (
                Refused::because(refusal, "The body took too long to arrive."),
                cause(late),
            ),
        };
        let (peer, bytes) = (self.peer.address(), self.bytes_in());
        let place = format!("{peer} after {bytes} bytes of its request body");
        refused.caused_by(cause.to_owned()).at(&place)
    }

    /// The refusal of a request with a body that had to give way. Closes the connection after it.
    pub(crate) fn body_gave_way(&mut self) -> Refused {
        self.end_after();
        let detail = "The gateway is short of room for bodies, and this one arrived more slowly \
                      than others. Send it again.";
        let refused = Refused::because(Refusal::BodyTime, detail);
        let (peer, bytes) = (self.peer.address(), self.bytes_in());
        let place = format!("{peer} after {bytes} bytes of its request body");
        refused.caused_by(GAVE_WAY.to_owned()).at(&place)
    }

    /// The reason for cutting a response after `bytes` of its body: it had to give way, and the
    /// caller read it more slowly than others.
    pub(crate) fn answer_gave_way(&self, bytes: u64) -> Refused {
        let refused = Refused::from(Refusal::AnswerRoom);
        refused
            .caused_by(GAVE_WAY.to_owned())
            .at(&self.place_of_answer(bytes))
    }

    fn place_of_answer(&self, bytes: u64) -> String {
        let peer = self.peer.address();
        format!("{peer} after {bytes} bytes of its response")
    }

    /// The reason for cutting a response after `bytes` of its body: the caller did not read it in
    /// time.
    pub(crate) fn late_answer(&self, late: Late, bytes: u64) -> Refused {
        let cause = match late {
            Late::Idle => CALLER_IDLE,
            late => cause(late),
        };
        let refused = Refused::from(Refusal::AnswerTime);
        refused
            .caused_by(cause.to_owned())
            .at(&self.place_of_answer(bytes))
    }

    /// Why a response of the gateway's own was cut, if it was.
    pub(crate) fn unsent(&self) -> Option<&Refused> {
        self.unsent.as_ref()
    }
}

/// Why a transfer ran out of time, for the log.
pub(crate) fn cause(late: Late) -> &'static str {
    match late {
        Late::Idle => "exceeded its timeout",
        Late::Slow => "slower than gateway.transfer_bytes_per_second_min",
        Late::Exchange => "exceeded gateway.exchange_timeout_ms",
        Late::Transfer => "exceeded gateway.transfer_timeout_ms",
    }
}
