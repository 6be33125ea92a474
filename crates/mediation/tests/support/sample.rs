//! A scope that reads names from a JSON text: `request.headers["a"]` is `/request/headers/a`.

use tollgate_json::tape::View;
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;

pub(crate) struct Sample<'m> {
    pub(crate) view: &'m View<'m>,
}

impl<'m> Scope<'m> for Sample<'m> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        let mut value = match self.view.root() {
            Some(root) => Value::from_json(self.view, root),
            None => Value::Absent,
        };
        let path = path(name.source);
        for word in path.split('.').filter(|it| !it.is_empty()) {
            value = scratch.member(value, word);
        }
        if name.key.is_empty() {
            value
        } else {
            scratch.member(value, &name.key)
        }
    }
}

fn path(source: Source) -> &'static str {
    match source {
        Source::Method => "request.method",
        Source::Path => "request.path",
        Source::Query => "request.query",
        Source::RequestHeader => "request.headers",
        Source::RequestId => "request.id",
        Source::Address => "request.address",
        Source::PathParameter => "path",
        Source::Status => "response.status",
        Source::ResponseHeader => "response.headers",
        Source::Body => "body",
        Source::Application => "caller.application",
        Source::Subscription => "caller.subscription",
        Source::Plan => "caller.plan",
        Source::Environment => "caller.environment",
        Source::Claim => "caller.claims",
        Source::ApiName => "api.name",
        Source::ApiVersion => "api.version",
        Source::Operation => "api.operation",
        Source::Variable => "var",
        Source::Now => "now",
        Source::ErrorCode => "error.code",
        Source::ErrorStatus => "error.status",
        Source::ErrorDetail => "error.detail",
        Source::Local => "",
    }
}
