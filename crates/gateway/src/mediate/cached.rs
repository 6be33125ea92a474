//! Requests for responses that may be stored. What goes up of the caller is part of the key, except
//! fields that the rules of the operation let pass and those that trace a call.

use tollgate_cache::store::Validators;
use tollgate_http1::compose::push_field;
use tollgate_mediation::apply::push_target;
use tollgate_mediation::forwarding::{Fields, Forwarded, RequestField, RequestRules};
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;
use tollgate_model::security::Identity;

use super::identity;
use crate::choose::Chosen;
use crate::exchange::Exchange;
use crate::snapshot::caching::CacheRules;
use crate::snapshot::mediation::{Passed, Transform};
use crate::steps::Shaped;
use crate::stored::{Cached, Protection, protects};
use crate::wire::field_class::field_class;
use crate::wire::peer::VIA;

/// Appends path and query below the upstream's base path, without the parameters that are not part
/// of the key.
pub(crate) fn push_keyed_target(
    out: &mut Vec<u8>,
    rules: &CacheRules,
    shaped: &Shaped<'_>,
    exchange: &Exchange<'_>,
) {
    let shape = shaped.shape();
    let below = shaped.admitted().allowed().below(exchange.head());
    let path = shape.and_then(|shape| shape.edits.path());
    if !path.unwrap_or(&below).starts_with(b"/") {
        out.push(b'/');
    }
    let begin = out.len();
    match shape {
        None => out.extend_from_slice(&below),
        Some(shape) => push_target(out, &shape.edits, &below),
    }
    if let Some(names) = &rules.served.query {
        keep_parameters(out, begin, names);
    }
}

/// Removes the parameters of a target that begins at `begin`, except those with these decoded
/// names. They stay as sent: whatever a back end reads of them, it is part of the key.
fn keep_parameters(target: &mut Vec<u8>, begin: usize, names: &[String]) {
    let Some(mark) = memchr::memchr(b'?', &target[begin..]) else {
        return;
    };
    let query = target.split_off(begin + mark);
    let mut before = b'?';
    for pair in query[1..].split(|&byte| byte == b'&') {
        let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
        let scratch = Scratch::default();
        if let Value::Text(name) = scratch.decode(name, true)
            && names.iter().any(|of| of == name)
        {
            target.push(before);
            target.extend_from_slice(pair);
            before = b'&';
        }
    }
}

/// Appends the field lines that are part of the key: the caller's identity, the caller's fields in
/// the order of the rules, and those that steps set.
pub(crate) fn push_keyed_fields(
    out: &mut Vec<u8>,
    rules: &CacheRules,
    shaped: &Shaped<'_>,
    exchange: &Exchange<'_>,
) {
    let (admitted, shape) = (shaped.admitted(), shaped.shape());
    let allowed = admitted.allowed();
    let identity = allowed.routed().version().served.identity;
    if identity == Identity::Headers && protects(Protection::Identity) {
        identity::push_fields(out, allowed);
    }
    let lines = exchange.head().lines();
    let hides = |name: &[u8]| shape.is_some_and(|shape| shape.edits.hides_field(name));
    let parameters = admitted.mediation().transforms.iter();
    let parameters =
        parameters.flat_map(|Transform::SoapToRest(_, resource)| resource.header_parameters());
    let headers = rules.headers.iter().map(String::as_str);
    for name in headers.chain(parameters) {
        let of_name = lines.iter().filter(|line| line.is(name.as_bytes()));
        for line in of_name.filter(|line| !line.is_named_hop && !hides(line.name())) {
            push_field(out, name, line.value());
        }
    }
    if let Some(shape) = shape {
        shape.push_set_fields(out);
    }
}

/// Appends the field lines of a request for a response that may be stored.
pub(super) fn push_fields(
    chosen: &Chosen<'_, '_>,
    cached: Cached<'_>,
    exchange: &Exchange<'_>,
    out: &mut Vec<u8>,
) {
    let lines = exchange.head().lines();
    if let Some(presented) = &chosen.upstream().credential {
        out.extend_from_slice(presented.line());
    }
    let passed = chosen.admitted().mediation().head.passed;
    match passed {
        Passed::Trace => push_set_or_identity(chosen, out),
        Passed::All => {
            out.extend_from_slice(cached.keyed.fields());
            let codings = cached.keyed.codings.field();
            push_field(out, "accept-encoding", codings.as_bytes());
            push_validators(cached.validators, out);
        }
    }
    let is_listed = |name: &[u8]| {
        passed == Passed::All && (cached.rules.passes(name) || !protects(Protection::Fields))
    };
    let served = &chosen.admitted().allowed().routed().version().served;
    let rules = RequestRules {
        fields: Fields::Listed(&is_listed),
        decides_cors: exchange.decides_cors(),
        overrides: served.reading.method_override,
        presented: None,
    };
    lines.push(out, |line| {
        let forwarded = rules.judge(RequestField {
            name: line.name(),
            class: field_class(line.known),
            is_named_hop: line.is_named_hop,
            is_credential: false,
            has_session: false,
        });
        forwarded == Forwarded::Whole
    });
    push_field(out, "via", VIA);
    push_field(out, "x-request-id", exchange.id().bytes());
}

/// Appends what goes up to a SOAP service besides the envelope.
fn push_set_or_identity(chosen: &Chosen<'_, '_>, out: &mut Vec<u8>) {
    let allowed = chosen.admitted().allowed();
    if allowed.routed().version().served.identity == Identity::Headers {
        identity::push_fields(out, allowed);
    }
    if let Some(shape) = chosen.shape() {
        shape.push_set_fields(out);
    }
}

/// Appends the conditions by which the upstream confirms a stored response.
fn push_validators(validators: Option<&Validators>, out: &mut Vec<u8>) {
    let Some(validators) = validators else {
        return;
    };
    if let Some(etag) = &validators.etag {
        push_field(out, "if-none-match", etag);
    }
    if let Some(modified) = &validators.last_modified {
        push_field(out, "if-modified-since", modified);
    }
}
