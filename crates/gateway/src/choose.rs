//! `choose`: the target of an admitted call.

use std::time::Duration;

use tollgate_model::api::Method;
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::refusal::Refused;
use crate::snapshot::version::{Target, Upstream};
use crate::steps::{Shape, Shaped};
use crate::stored::Cached;

/// The ticket of this room: a call on its way to the upstream, with its target.
#[derive(Debug)]
pub(crate) struct Chosen<'c, 's> {
    shaped: &'c Shaped<'s>,
    upstream: &'s Upstream,
    target: &'s Target,
    cached: Option<Cached<'c>>,
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Chosen<'_, '_>>() <= 128);

impl<'c, 's> Chosen<'c, 's> {
    pub(crate) fn admitted(&self) -> &'s Admitted<'s> {
        self.shaped.admitted()
    }

    /// What steps make of the request, if there are any.
    pub(crate) fn shape(&self) -> Option<&'c Shape<'s>> {
        self.shaped.shape()
    }

    pub(crate) fn upstream(&self) -> &'s Upstream {
        self.upstream
    }

    pub(crate) fn target(&self) -> &'s Target {
        self.target
    }

    /// What goes up instead, if the response may be stored.
    pub(crate) fn cached(&self) -> Option<Cached<'c>> {
        self.cached
    }

    /// The method of the upstream's request. The response to HEAD has no body, whatever steps set.
    pub(crate) fn method(&self) -> Method {
        let own = self.admitted().method();
        let set = self.shape().and_then(Shape::method);
        set.filter(|_| own != Method::Head).unwrap_or(own)
    }

    /// How long the upstream may be idle.
    pub(crate) fn idle_timeout(&self) -> Duration {
        Duration::from_millis(self.upstream.served.idle_timeout_ms.into())
    }
}

/// Chooses the target of a call: currently the only one.
pub(crate) fn choose<'c, 's>(
    shaped: &'c Shaped<'s>,
    cached: Option<Cached<'c>>,
) -> Result<Chosen<'c, 's>, Refused> {
    let upstream = shaped.admitted().allowed().upstream();
    let upstream = upstream.ok_or(Refusal::NoEnvironment)?;
    let target = upstream.targets.first().ok_or(Refusal::Internal)?;
    Ok(Chosen {
        shaped,
        upstream,
        target,
        cached,
    })
}
