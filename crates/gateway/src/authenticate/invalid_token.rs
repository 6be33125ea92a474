//! Reasons for refusing an access token, opaque or signed.

use tollgate_model::refusal::Refusal;

use crate::refusal::Refused;

pub(super) fn expired() -> Refused {
    Refused::because(Refusal::Invalid, "The token has expired.")
}

pub(super) fn other_audience() -> Refused {
    Refused::because(Refusal::Invalid, "The token is for another API.")
}
