//! A request as a gateway holds it: spans of a head, and a body.

use tollgate_json::tape::View;
use tollgate_mediation::name::{Name, Source};
use tollgate_mediation::scope::{Scope, Scratch};
use tollgate_mediation::value::Value;

pub(crate) struct Call<'m> {
    pub(crate) body: &'m View<'m>,
}

const FIELDS: [(&[u8], &[u8]); 6] = [
    (b"Host", b"api.example.com"),
    (b"User-Agent", b"curl/8.14.1"),
    (b"Accept", b"application/json"),
    (b"Content-Type", b"application/json"),
    (b"X-Tenant", b"eu-west"),
    (b"X-Request-Id", b"0f8c2a"),
];

impl<'m> Scope<'m> for Call<'m> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        match name.source {
            Source::Method => Value::Text("POST"),
            Source::Plan => Value::Text("gold"),
            Source::Query => scratch.find_in_query(b"lang=en&page=2", &name.key),
            Source::RequestHeader => {
                let is_it = |it: &&(&[u8], &[u8])| it.0.eq_ignore_ascii_case(name.key.as_bytes());
                scratch.join_lines(FIELDS.iter().filter(is_it).map(|it| it.1))
            }
            Source::Body => {
                let root = self.body.root();
                root.map_or(Value::Absent, |root| Value::from_json(self.body, root))
            }
            _ => Value::Absent,
        }
    }
}

/// A condition of three terms.
pub(crate) const CONDITION: &str = r#"request.method == "POST" && caller.plan in ["gold", "silver"]
    && request.headers["x-tenant"].startsWith("eu-")"#;
