//! What goes up of a call for a response that may be stored, and the key that this is.

use tollgate_cache::coding::Codings;
use tollgate_cache::key::KeyBuilder;
use tollgate_http1::head::Known;
use tollgate_model::api::Method;
use tollgate_model::credential::CredentialId;
use tollgate_model::path::MethodOverride;
use tollgate_model::policies::Share;

use crate::admit::Admitted;
use crate::exchange::Exchange;
use crate::mediate;
use crate::snapshot::caching::CacheRules;
use crate::snapshot::mediation::Passed;
use crate::steps::{Shape, Shaped};
use crate::stored::{Keyed, Protection, protects};
use crate::wire::connection::BodyLength;
use crate::wire::session_cookie;

/// Collects what goes up of a call; `None` if nobody could share its response.
pub(super) fn keyed(
    rules: &CacheRules,
    shaped: &Shaped<'_>,
    exchange: &Exchange<'_>,
) -> Option<Keyed> {
    let (admitted, shape) = (shaped.admitted(), shaped.shape());
    let allowed = admitted.allowed();
    let served = &allowed.routed().version().served;
    let mut builder = KeyBuilder::default();
    builder.number(served.id.raw().cast_unsigned());
    builder.number(served.revision.raw().cast_unsigned());
    builder.part(Some(allowed.caller().environment().word().as_bytes()));
    builder.part(Some(rules.operation.as_bytes()));
    push_share(&mut builder, rules.served.share, admitted)?;
    let mut text = exchange.worker().buffer_pool.scratch();
    mediate::push_keyed_target(&mut text, rules, shaped, exchange);
    let target_bytes = text.len();
    mediate::push_keyed_fields(&mut text, rules, shaped, exchange);
    let (target, fields) = text.split_at(target_bytes);
    builder.part(Some(target));
    builder.part(Some(fields));
    let reads_answers = shape.is_some_and(Shape::reads_answers);
    let codings = match admitted.mediation().head.passed {
        Passed::All if !reads_answers => {
            Codings::of(exchange.head().lines().named(b"accept-encoding"))
        }
        _ => Codings::Identity,
    };
    builder.part(Some(codings.field().as_bytes()));
    if let Some(shape) = shape {
        let mut kept = Vec::new();
        shape.write_keyed(&mut kept);
        builder.part(Some(&kept));
    }
    let version = served.id.raw().cast_unsigned();
    Some(Keyed::new(
        builder.key(),
        version,
        codings,
        text,
        target_bytes,
    ))
}

/// Adds the callers that share a response; `None` if they are none.
fn push_share(builder: &mut KeyBuilder, share: Share, admitted: &Admitted<'_>) -> Option<()> {
    let caller = admitted.allowed().caller();
    match share {
        Share::All => builder.part(None),
        Share::Application => {
            let application = caller.application();
            let application = application.filter(|_| protects(Protection::Application));
            let application = application.map(|id| id.raw().to_le_bytes());
            builder.part(application.as_ref().map(<[u8; 8]>::as_slice));
        }
        Share::Plan => {
            let subscription = admitted.allowed().subscription();
            builder.part(subscription.map(|it| it.plan.as_bytes()));
        }
        Share::User => {
            let mut users = caller.proven().filter_map(|proven| match proven.id() {
                CredentialId::BasicUser(id) => Some(id),
                _ => None,
            });
            builder.number(users.next()?.raw().cast_unsigned());
        }
    }
    Some(())
}

/// Whether a call goes by the cache: it asks for something else than the whole response, or its
/// response could be for its caller alone.
pub(super) fn goes_by(rules: &CacheRules, shaped: &Shaped<'_>, exchange: &Exchange<'_>) -> bool {
    let has_body = protects(Protection::Body)
        && !matches!(
            exchange.body_length(),
            BodyLength::None | BodyLength::Known(0)
        );
    let method = shaped.shape().and_then(Shape::method);
    if has_body || method.is_some_and(|method| method != Method::Get) {
        return true;
    }
    let lines = exchange.head().lines();
    let allowed = shaped.admitted().allowed();
    let carried = allowed.caller().carried().lines(lines);
    let presented = allowed.upstream().and_then(|it| it.credential.as_ref());
    let overrides = allowed.routed().version().served.reading.method_override;
    lines.iter().any(|line| match line.known {
        Known::Cookie => protects(Protection::Cookie) && session_cookie::has_others(line.value()),
        Known::Origin => protects(Protection::Origin) && !exchange.decides_cors(),
        Known::MethodOverride => {
            protects(Protection::MethodOverride) && overrides == MethodOverride::Pass
        }
        Known::Other if line.is(b"authorization") => {
            let is_replaced = presented.is_some_and(|it| it.is_named_as(line));
            protects(Protection::Authorization) && !is_replaced && !carried.contains(&line.line)
        }
        Known::Other if line.is(b"cache-control") => {
            rules.served.obey_request && super::found::forbids_storing(line.value())
        }
        Known::Other => {
            const NAMES: [&[u8]; 4] = [b"range", b"if-range", b"if-match", b"if-unmodified-since"];
            protects(Protection::Range) && NAMES.iter().any(|name| line.is(name))
        }
        _ => false,
    })
}
