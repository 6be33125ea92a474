//! `choose`: the target of an admitted call.

use std::time::Duration;

use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::refusal::Refused;
use crate::snapshot::version::{Target, Upstream};

/// The ticket of this room: an admitted call's target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen<'s> {
    upstream: &'s Upstream,
    target: &'s Target,
}

impl<'s> Chosen<'s> {
    pub(crate) fn upstream(self) -> &'s Upstream {
        self.upstream
    }

    pub(crate) fn target(self) -> &'s Target {
        self.target
    }

    /// How long the upstream may be idle.
    pub(crate) fn idle_timeout(self) -> Duration {
        Duration::from_millis(self.upstream.served.idle_timeout_ms.into())
    }
}

/// Chooses the target of a call: currently the only one.
pub(crate) fn choose<'s>(admitted: &Admitted<'s>) -> Result<Chosen<'s>, Refused> {
    let upstream = admitted.allowed().upstream();
    let upstream = upstream.ok_or(Refusal::NoEnvironment)?;
    let target = upstream.targets.first().ok_or(Refusal::Internal)?;
    Ok(Chosen { upstream, target })
}
