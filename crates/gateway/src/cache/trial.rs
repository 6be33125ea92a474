//! Calls of try-it: their responses describe what the cache did, and they may need a response of
//! the upstream although one is stored. No other caller can force that, so the control plane proves
//! these calls: the field has a JWT for the version and the application.

use tollgate_tokens::jwt::{Expected, Kind, Unverified};

use crate::admit::Admitted;
use crate::exchange::Exchange;

/// The field of a proof: an item of RFC 9651, section 3.3, with the JWT as its token. Like every
/// field of that prefix, it does not go up.
const FIELD: &[u8] = b"x-tollgate-try-it";
/// The parameter of calls that no stored response answers.
const FRESH: &[u8] = b";fresh";
/// Tolerated clock difference between the control plane and the gateway.
const LEEWAY_US: i64 = 5_000_000;

/// A proven call of try-it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    /// Whether no stored response answers it.
    pub(super) is_fresh: bool,
}

impl Trial {
    /// Returns the trial that a call is; `None` for other calls, and without a valid proof.
    pub(super) fn find(admitted: &Admitted<'_>, exchange: &Exchange<'_>) -> Option<Self> {
        let mut values = exchange.head().lines().named(FIELD);
        let value = values.next()?;
        if values.next().is_some() {
            return None;
        }
        let fresh = value.strip_suffix(FRESH);
        let proof = fresh.unwrap_or(value);
        check(proof, admitted, exchange).then_some(Self {
            is_fresh: fresh.is_some(),
        })
    }
}

/// Checks that a proof is for the version and, unless the call is anonymous, for its application.
fn check(proof: &[u8], admitted: &Admitted<'_>, exchange: &Exchange<'_>) -> bool {
    let worker = exchange.worker();
    let Some(settings) = &worker.settings.tokens else {
        return false;
    };
    let snapshot = worker.snapshot();
    let mut space = worker.buffer_pool.scratch();
    let Ok(token) = Unverified::parse(proof, &mut space) else {
        return false;
    };
    let key = token.header().kid();
    let Some(key) = key.and_then(|kid| snapshot.signing_keys.get(kid)) else {
        return false;
    };
    let allowed = admitted.allowed();
    let application = allowed.caller().application();
    let application = application.map(|id| id.to_string());
    if application.is_some() && token.claims().subject() != application.as_deref() {
        return false;
    }
    let expected = Expected {
        kind: Kind::Trial,
        issuer: &settings.issuer,
        audiences: &[settings.resource(&allowed.routed().version().served)],
        now_us: exchange.began_us(),
        leeway_us: LEEWAY_US,
        lifetime_us_max: None,
    };
    let checked = token.check(&expected);
    checked.is_ok_and(|checked| checked.verify(&key.verifier).is_ok())
}
