//! `authenticate`: finds the caller by the credentials in the request, using the schemes that the
//! version accepts.
//!
//! - `presented.rs`: the credentials in a request; `challenge.rs`: the challenges of a refusal
//! - `api_key.rs`, `bearer.rs` with `jwt.rs`, `basic.rs`: one file per scheme

mod api_key;
mod basic;
mod bearer;
pub(crate) mod challenge;
mod invalid_token;
mod jwt;
mod presented;

use std::borrow::Cow;
use std::net::IpAddr;
use std::rc::Rc;

use tollgate_http1::view::Lines;
use tollgate_model::credential::{CredentialId, Environment};
use tollgate_model::feed::ServedVersion;
use tollgate_model::id::ApplicationId;
use tollgate_model::refusal::Refusal;
use tollgate_model::security::Require;

use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::route::Routed;
use crate::snapshot::Snapshot;
use crate::snapshot::callers::{Client, Credential, Sources, Token};
use crate::worker::remembered::Remembered;
use presented::{Presented, Value};

pub(crate) use presented::Carried;

/// The ticket of this room: the authenticated caller.
#[derive(Debug)]
pub(crate) struct Caller<'s> {
    routed: &'s Routed<'s>,
    /// `None` for an anonymous call.
    application: Option<ApplicationId>,
    environment: Environment,
    /// At most an API key and the credential in `Authorization`.
    first: Option<Proven<'s>>,
    // Boxed: few calls carry two credentials, and every later ticket would pay for the space.
    second: Option<Box<Proven<'s>>>,
    carried: Carried,
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Caller<'_>>() <= 128);

/// A credential that was verified.
#[derive(Debug)]
pub(crate) enum Proven<'s> {
    /// An API key, or a user of HTTP Basic.
    Credential(CredentialId, Cow<'s, Credential>),
    /// An opaque token and its holder.
    Token(&'s Token, Holder<'s>),
    /// A signed token.
    Remembered(Rc<Remembered>),
}

/// The holder of an opaque token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holder<'s> {
    /// The credential under which calls are recorded.
    credential: CredentialId,
    application: ApplicationId,
    environment: Environment,
    /// `None` if the token was issued to the application itself.
    client: Option<&'s Client>,
}

impl Proven<'_> {
    fn application(&self) -> ApplicationId {
        match self {
            Self::Credential(_, credential) => credential.application,
            Self::Token(_, holder) => holder.application,
            Self::Remembered(token) => token.standing.application,
        }
    }

    fn environment(&self) -> Environment {
        match self {
            Self::Credential(_, credential) => credential.environment,
            Self::Token(_, holder) => holder.environment,
            Self::Remembered(token) => token.standing.environment,
        }
    }

    pub(crate) fn id(&self) -> CredentialId {
        match self {
            Self::Credential(id, _) => *id,
            Self::Token(_, holder) => holder.credential,
            Self::Remembered(token) => token.standing.credential,
        }
    }

    /// Where it may be used from; `None` if anywhere.
    fn sources(&self) -> Option<&Sources> {
        match self {
            Self::Credential(_, credential) => credential.sources(),
            Self::Token(_, holder) => holder.client?.sources.as_deref(),
            Self::Remembered(token) => token.standing.sources.as_deref(),
        }
    }

    /// The scopes of the credential, without those that its client has lost since.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &str> {
        let (scopes, client): (&[String], _) = match self {
            Self::Credential(..) => (&[], None),
            Self::Token(token, holder) => (&token.reach.scopes, holder.client),
            Self::Remembered(token) => (&token.standing.scopes, None),
        };
        let is_kept = move |scope: &&String| client.is_none_or(|it| it.scopes.contains(scope));
        scopes.iter().filter(is_kept).map(String::as_str)
    }
}

impl<'s> Caller<'s> {
    pub(crate) fn routed(&self) -> &'s Routed<'s> {
        self.routed
    }

    /// `None` for an anonymous call.
    pub(crate) fn application(&self) -> Option<ApplicationId> {
        self.application
    }

    pub(crate) fn environment(&self) -> Environment {
        self.environment
    }

    pub(crate) fn carried(&self) -> &Carried {
        &self.carried
    }

    /// The credentials of the call, in the order of the schemes.
    pub(crate) fn proven(&self) -> impl Iterator<Item = &Proven<'s>> {
        self.first.iter().chain(self.second.as_deref())
    }

    /// The signed token in the request's head that was verified, if any. Other tokens there may be
    /// forged.
    pub(crate) fn signed_token<'h>(&self, lines: Lines<'h>) -> Option<&'h [u8]> {
        let mut proven = self.proven();
        proven.find(|proven| matches!(proven, Proven::Remembered(_)))?;
        let carried = self.carried.lines(lines);
        let mut carried = lines.iter().filter(|line| carried.contains(&line.line));
        carried.find_map(|line| presented::strip_scheme(b"bearer", line.value()))
    }

    /// Whether any credential is restricted to certain sources.
    pub(crate) fn is_bound(&self) -> bool {
        self.proven().any(|proven| proven.sources().is_some())
    }

    /// Whether every credential may be used from this address and, for a browser page, this origin.
    pub(crate) fn may_be_here(&self, address: IpAddr, origin: Option<&[u8]>) -> bool {
        let mut sources = self.proven().filter_map(Proven::sources);
        sources.all(|sources| sources.contain(address, origin))
    }

    /// Whether the call has all of these scopes.
    pub(crate) fn has_scopes(&self, scopes: &[String]) -> bool {
        let has = |scope: &String| self.proven().any(|it| it.scopes().any(|has| has == scope));
        scopes.iter().all(has)
    }

    fn anonymous(routed: &'s Routed<'s>, carried: Carried) -> Self {
        Self {
            routed,
            application: None,
            environment: Environment::Production,
            first: None,
            second: None,
            carried,
        }
    }
}

/// Finds the caller of a routed request. A refusal lists the accepted schemes.
pub(crate) fn identify<'s>(
    snapshot: &'s Snapshot,
    routed: &'s Routed<'s>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Caller<'s>, Refused> {
    let judging = Judging {
        snapshot,
        routed,
        exchange,
    };
    judging.caller(record).map_err(|refused| {
        let error = challenge::Error::InvalidToken;
        challenge::add(refused, routed.version(), exchange, error)
    })
}

/// The inputs for judging credentials.
struct Judging<'a, 's> {
    snapshot: &'s Snapshot,
    routed: &'s Routed<'s>,
    exchange: &'a Exchange<'a>,
}

impl<'s> Judging<'_, 's> {
    /// The version being called.
    fn served(&self) -> &'s ServedVersion {
        &self.routed.version().served
    }

    fn caller(&self, record: &mut RecordBuilder) -> Result<Caller<'s>, Refused> {
        let version = self.routed.version();
        let security = &version.security;
        let presented = presented::find(self.exchange.head(), security)?;
        let Presented {
            key,
            authorization,
            carried,
            other,
        } = presented;
        if key.is_none() && authorization.is_none() && self.routed.is_open() {
            return Ok(Caller::anonymous(self.routed, carried));
        }
        let is_enough = match security.require {
            Require::Any => key.is_some() || authorization.is_some(),
            Require::All => {
                let wants_authorization = security.oauth2 || security.basic;
                key.is_some() == security.api_key.is_some()
                    && authorization.is_some() == wants_authorization
            }
        };
        // An invalid credential is reported before a missing one (see product.md).
        let proven = [
            key.map(|value| self.prove(value)).transpose()?,
            authorization.map(|value| self.prove(value)).transpose()?,
        ];
        if !is_enough {
            return Err(presented::missing(security, other));
        }
        let mut each = proven.into_iter().flatten();
        let Some(first) = each.next() else {
            return Err(Refusal::Internal.into());
        };
        let second = each.next().map(Box::new);
        let (application, environment) = (first.application(), first.environment());
        let is_same =
            |it: &Proven<'_>| (it.application(), it.environment()) == (application, environment);
        if !second.as_deref().is_none_or(is_same) {
            let detail = "The credentials belong to different applications or environments.";
            return Err(Refused::because(Refusal::Invalid, detail));
        }
        record.caller(application, first.id(), environment);
        Ok(Caller {
            routed: self.routed,
            application: Some(application),
            environment,
            first: Some(first),
            second,
            carried,
        })
    }

    fn prove(&self, value: Value<'_>) -> Result<Proven<'s>, Refused> {
        let now_us = self.exchange.began_us();
        match value {
            Value::ApiKey(text) => {
                let mut recent = self.exchange.worker().recent_keys.borrow_mut();
                api_key::find(self.snapshot, &mut recent, text, now_us)
            }
            Value::Basic(text) => basic::find(self.snapshot, text, now_us),
            Value::Bearer(text) => bearer::find(self, text),
        }
    }
}

#[cfg(test)]
mod tests;
