//! The field lines that gateways send on, and those that a dry run hides.

use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::compile::serve_targets;
use tollgate_model::security::Identity;
use tollgate_model::upstream::Upstream;

use super::message::Field;
use super::{Call, Caller, MASK, Request, Site};
use crate::edits::Edits;
use crate::form::Forms;
use crate::forwarding::{
    FieldClass, Fields, Forwarded, RequestField, RequestRules, forwards_response_field,
};
use crate::own_query::OwnQuery;

/// Returns the names that the `Connection` fields list (RFC 9110, section 7.6.1), in lower case.
fn named_hops(fields: &[Field]) -> Vec<String> {
    let lines = fields.iter();
    let lines = lines.filter(|(name, _)| name.eq_ignore_ascii_case("connection"));
    let names = lines.flat_map(|(_, value)| value.split(','));
    names.map(|name| name.trim().to_ascii_lowercase()).collect()
}

/// The parts of a request that a dry run hides: the caller's credential and the portal's session.
#[derive(Debug)]
pub(super) struct Hidden<'s> {
    key_header: Option<String>,
    key_parameter: Option<String>,
    /// Schemes of `Authorization`, in lower case.
    schemes: Vec<&'static str>,
    cookies: &'s [&'s str],
}

impl<'s> Hidden<'s> {
    pub(super) fn new(configuration: &Configuration, cookies: &'s [&'s str]) -> Self {
        let security = configuration.security();
        let schemes = [
            ("apikey", security.api_key.is_some()),
            ("bearer", security.oauth2.is_some()),
            ("basic", security.basic.is_some()),
        ];
        let schemes = schemes.into_iter().filter(|(_, is_taken)| *is_taken);
        let schemes = schemes.map(|(scheme, _)| scheme).collect();
        let key = security.api_key;
        Self {
            key_parameter: key.as_ref().and_then(|key| key.query.clone()),
            key_header: key.map(|key| key.header),
            schemes,
            cookies,
        }
    }

    /// Whether a field line is the caller's credential.
    fn is_credential(&self, name: &str, value: &str) -> bool {
        let key = self.key_header.as_deref();
        if key.is_some_and(|key| key.eq_ignore_ascii_case(name)) {
            return true;
        }
        let scheme = value.split([' ', '\t']).next().unwrap_or_default();
        let scheme = scheme.to_ascii_lowercase();
        name.eq_ignore_ascii_case("authorization") && self.schemes.contains(&&*scheme)
    }

    /// Whether a field line is a cookie field with a session.
    fn has_session(&self, name: &str, value: &str) -> bool {
        // The name of the session ends that of every other one.
        let mut names = self.cookies.iter();
        name.eq_ignore_ascii_case("cookie") && names.any(|name| value.contains(name))
    }

    /// Whether a pair of a cookie field is a session.
    pub(super) fn is_session(&self, pair: &str) -> bool {
        let name = pair.split('=').next().unwrap_or_default().trim();
        self.cookies.contains(&name)
    }

    /// Returns the field lines that steps read.
    pub(super) fn readable(&self, fields: &[Field]) -> Vec<Field> {
        let lines = fields.iter();
        let lines = lines.filter(|(name, value)| {
            !self.is_credential(name, value) && !self.has_session(name, value)
        });
        lines.cloned().collect()
    }

    /// Returns a field line as shown.
    fn shown(&self, name: &str, value: &str) -> Field {
        let value = if self.is_credential(name, value) {
            MASK.to_owned()
        } else if self.has_session(name, value) {
            let pairs = value.split(';').map(|pair| match pair.split_once('=') {
                Some((name, _)) if self.is_session(pair) => format!("{name}={MASK}"),
                _ => pair.to_owned(),
            });
            pairs.collect::<Vec<_>>().join(";")
        } else {
            value.to_owned()
        };
        (name.to_owned(), value)
    }

    /// Returns a path and query without the parameter that carries the key, or with its value
    /// masked.
    pub(super) fn target(&self, target: &str, masked: bool) -> String {
        let (Some(key), Some((path, query))) = (&self.key_parameter, target.split_once('?')) else {
            return target.to_owned();
        };
        let is_key = |pair: &str| {
            let name = pair.split('=').next().unwrap_or_default();
            *tollgate_model::path::decoded(name.as_bytes()) == *key.as_bytes()
        };
        let pairs = query.split('&').filter_map(|pair| match is_key(pair) {
            true if masked => Some(format!("{key}={MASK}")),
            true => None,
            false => Some(pair.to_owned()),
        });
        let query = pairs.collect::<Vec<_>>().join("&");
        match query.is_empty() {
            true => path.to_owned(),
            false => format!("{path}?{query}"),
        }
    }
}

/// Returns the field lines of a request with the edits of steps, without those that end at the
/// gateway.
pub(super) fn edited(fields: &[Field], edits: &Edits<'_>, hidden: &Hidden<'_>) -> Vec<Field> {
    let hops = named_hops(fields);
    let is_hop = |name: &str| {
        FieldClass::of(name) == FieldClass::Hop || hops.contains(&name.to_ascii_lowercase())
    };
    let kept = fields
        .iter()
        .filter(|(name, value)| match hidden.is_credential(name, value) {
            true => true,
            false => !is_hop(name) && !edits.hides_field(name.as_bytes()),
        });
    let kept = kept.map(|(name, value)| hidden.shown(name, value));
    kept.chain(set(edits)).collect()
}

fn set(edits: &Edits<'_>) -> impl Iterator<Item = Field> {
    let fields = edits.fields();
    fields.map(|(name, value)| field(name, value))
}

fn field(name: &str, value: &[u8]) -> Field {
    (name.to_owned(), String::from_utf8_lossy(value).into_owned())
}

/// Returns the field lines that go up, without those that gateways add to every request.
pub(super) fn sent(
    call: &Call,
    site: &Site<'_>,
    hidden: &Hidden<'_>,
    edits: &Edits<'_>,
    forms: Forms<'_>,
) -> Vec<Field> {
    let Call {
        request, caller, ..
    } = call;
    let (fields, configuration) = (&request.fields, site.configuration);
    let (is_trace, method) = (request.method == Method::Trace, request.sent_method(edits));
    let upstream = caller.upstream(configuration);
    let credential = upstream.and_then(|it| it.credential.as_ref());
    let presented = credential.map(|it| it.header().to_owned());
    let hops = named_hops(fields);
    let mut sent = identity(configuration, caller, is_trace);
    if let Some(presented) = presented.as_ref().filter(|_| !is_trace) {
        sent.push((presented.clone(), MASK.to_owned()));
    }
    let rules = RequestRules {
        fields: Fields::All,
        decides_cors: configuration.policies.cors.is_some(),
        overrides: configuration.method_override,
        presented: presented.as_deref().map(str::as_bytes),
    };
    let mut sessions = Vec::new();
    for line in fields {
        let name = line.0.as_bytes();
        if edits.hides_field(name) || forms.hides_field(name, method) {
            continue;
        }
        let judged = rules.judge(RequestField {
            name,
            class: FieldClass::of(&line.0),
            is_named_hop: hops.contains(&line.0.to_ascii_lowercase()),
            is_credential: hidden.is_credential(&line.0, &line.1),
            has_session: hidden.has_session(&line.0, &line.1),
        });
        match judged {
            Forwarded::Whole => sent.push(line.clone()),
            Forwarded::WithoutSession => sessions.extend(without_session(&line.1, hidden)),
            Forwarded::Not => {}
        }
    }
    sent.extend(sessions);
    let is_named = |name: &str| hops.contains(&name.to_ascii_lowercase());
    let lines = fields
        .iter()
        .filter(|(name, _)| !is_named(name))
        .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    forms.push_fields(edits, lines, method, &mut |name, value| {
        sent.push(field(name, value));
    });
    sent
}

/// Returns a cookie field without sessions; `None` if nothing is left.
fn without_session(value: &str, hidden: &Hidden<'_>) -> Option<Field> {
    let pairs = value.split(';').filter(|pair| !hidden.is_session(pair));
    let pairs: Vec<_> = pairs.collect();
    if pairs.iter().all(|pair| pair.trim().is_empty()) {
        return None;
    }
    Some(("cookie".to_owned(), pairs.join(";").trim().to_owned()))
}

/// Returns the fields with the caller's identity.
fn identity(configuration: &Configuration, caller: &Caller, is_trace: bool) -> Vec<Field> {
    let names: &[&str] = match configuration.identity {
        Identity::None => &[],
        Identity::Jwt if is_trace => &[],
        Identity::Jwt => &["x-tollgate-identity"],
        Identity::Headers if caller.application.is_none() => &["x-tollgate-environment"],
        Identity::Headers => &[
            "x-tollgate-environment",
            "x-tollgate-application",
            "x-tollgate-credential",
            "x-tollgate-credential-kind",
        ],
    };
    let fields = names.iter();
    fields
        .map(|name| ((*name).to_owned(), MASK.to_owned()))
        .collect()
}

/// Returns the field lines of an upstream's response that go on to the caller.
pub(super) fn passed(fields: &[Field], site: &Site<'_>, hidden: &Hidden<'_>) -> Vec<Field> {
    let hops = named_hops(fields);
    let has_cors = site.configuration.policies.cors.is_some();
    let lines = fields.iter().filter(|(name, value)| {
        let lower = name.to_ascii_lowercase();
        let sets_session = || lower == "set-cookie" && hidden.is_session(value);
        let is_named_hop = hops.contains(&lower);
        let class = FieldClass::of(name);
        forwards_response_field(name.as_bytes(), class, is_named_hop, has_cors, sets_session)
    });
    lines.cloned().collect()
}

/// Adds the query of a SOAP service's address to path and query of a call. Calls of REST callers
/// are shown before they become envelopes.
pub(super) fn with_own_query(target: String, site: &Site<'_>, caller: &Caller) -> String {
    let upstream = caller.upstream(site.configuration);
    let targets = upstream.filter(|_| site.kind == Kind::Soap);
    let targets = targets.map(serve_targets).unwrap_or_default();
    let Some(own) = targets.first().and_then(|it| OwnQuery::new(&it.query)) else {
        return target;
    };
    let mut with_own = Vec::new();
    own.push_target(&mut with_own, target.as_bytes());
    String::from_utf8_lossy(&with_own).into_owned()
}

impl Request {
    /// Returns the method of the request to the upstream, with the edits of steps. The response to
    /// HEAD has no body, whatever steps set.
    pub(super) fn sent_method(&self, edits: &Edits<'_>) -> Method {
        let set = edits.method().filter(|_| self.method != Method::Head);
        set.unwrap_or(self.method)
    }
}

impl Caller {
    /// Returns the upstream of the caller's environment.
    pub(super) fn upstream<'c>(&self, configuration: &'c Configuration) -> Option<&'c Upstream> {
        use tollgate_model::credential::Environment::{Production, Sandbox};
        match self.environment {
            Production => configuration.upstream.as_ref(),
            Sandbox => configuration.sandbox_upstream.as_ref(),
        }
    }
}
