//! Refusals of messages that a step stops.

use tollgate_mediation::run::Stop;
use tollgate_model::record::{Owner, RefusedBy};

use crate::record::RecordBuilder;
use crate::refusal::Refused;

/// Returns the refusal of a message that the step at a place of its list stops, and notes that
/// step.
pub(super) fn refused_by(
    stop: &Stop,
    list: Owner,
    place: usize,
    record: &mut RecordBuilder,
) -> Refused {
    record.refused_by(RefusedBy::new(list, place));
    refused(stop, list == Owner::Response)
}

/// Returns the refusal of a message that a step stops: a request, or the upstream's response.
pub(super) fn refused(stop: &Stop, is_response: bool) -> Refused {
    let refusal = stop.refusal(is_response);
    match stop.detail(is_response) {
        Some(detail) => Refused::because(refusal, detail),
        None => refusal.into(),
    }
}
