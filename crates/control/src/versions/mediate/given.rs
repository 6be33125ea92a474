//! The call of a dry run, and its faults.

use std::net::{IpAddr, Ipv4Addr};

use serde::Deserialize;
use serde_json::{Map, Value};
use tollgate_mediation::dry_run::{Call, Caller, Field, Request, Response};
use tollgate_model::api::Method;
use tollgate_model::credential::Environment;
use tollgate_model::fault::Fault;
use tollgate_model::policies::Policies;
use tollgate_model::refusal::{REFUSALS, Refusal};

use super::super::document::Of;
use crate::credentials::production;

/// Maximum number of field lines of a message, bytes of their values, and of their names.
const FIELDS_MAX: usize = 64;
const VALUE_BYTES_MAX: usize = 8 << 10;
const NAME_BYTES_MAX: usize = 64;
/// Maximum bytes of the path with its query.
const PATH_BYTES_MAX: usize = 8 << 10;
/// Maximum bytes of an id or name of the caller.
const WORD_BYTES_MAX: usize = 128;
/// Maximum bytes of claims that steps can read.
const CLAIMS_BYTES_MAX: usize = 16 << 10;

/// A call to try the policies of a version on.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[schema(as = Mediate)]
#[serde(deny_unknown_fields)]
pub(crate) struct MediateBody {
    /// Whether to try the policies of the draft or those of the deployed revision.
    #[serde(default)]
    #[schema(inline, default = "draft")]
    pub(super) of: Option<Of>,
    /// Policies to try instead of the stored ones. They are judged as when they are saved.
    #[serde(default)]
    pub(super) policies: Option<Policies>,
    /// The caller's request.
    request: GivenRequest,
    /// The upstream's response; by default 200 without header fields and body.
    #[serde(default)]
    response: GivenResponse,
    /// The code of a refusal of the gateway: only the steps of `error` run, on this refusal.
    #[serde(default)]
    #[schema(example = "admit.subscription")]
    refusal: Option<String>,
    /// The facts of the caller that expressions read.
    #[serde(default)]
    caller: GivenCaller,
    /// The time of the request, seconds since 1970 (UTC); by default the current time.
    #[serde(default)]
    #[schema(example = 1_798_156_800)]
    now: Option<i64>,
    /// The client's IP address.
    #[serde(default = "address")]
    #[schema(value_type = String, default = "192.0.2.1", example = "203.0.113.9")]
    address: IpAddr,
}

/// A request to a version.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[schema(as = MediateRequest)]
#[serde(deny_unknown_fields)]
struct GivenRequest {
    /// The method.
    method: Method,
    /// Path and query below the version, at most 8 KiB.
    #[schema(example = "/orders/42?x=1")]
    path: String,
    /// The header fields, at most 64.
    #[serde(default)]
    #[schema(default = json!([]))]
    headers: Vec<HeaderField>,
    /// The body, without a content coding; by default there is none.
    #[serde(default)]
    #[schema(default = "")]
    body: String,
}

/// A response of the upstream.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[schema(as = MediateResponse)]
#[serde(deny_unknown_fields, default)]
struct GivenResponse {
    /// The status, 200 to 599.
    #[schema(default = 200, minimum = 200, maximum = 599)]
    status: u16,
    /// The header fields, at most 64.
    #[schema(default = json!([]))]
    headers: Vec<HeaderField>,
    /// The body, without a content coding; by default there is none.
    #[schema(default = "")]
    body: String,
}

impl Default for GivenResponse {
    fn default() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: String::new(),
        }
    }
}

/// The caller of a version. By default its application, subscription, plan and claims have no
/// value, as with an anonymous call.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[schema(as = MediateCaller)]
#[serde(deny_unknown_fields)]
struct GivenCaller {
    /// The id of its application.
    #[serde(default)]
    #[schema(example = "app_00000000001")]
    application: Option<String>,
    /// The id of its subscription.
    #[serde(default)]
    #[schema(example = "sub_00000000001")]
    subscription: Option<String>,
    /// The name of its plan.
    #[serde(default)]
    #[schema(example = "gold")]
    plan: Option<String>,
    /// The environment of its credential, which also determines the upstream.
    #[serde(default = "production")]
    #[schema(default = "production")]
    environment: Environment,
    /// The claims of its token, at most 16 KiB.
    #[serde(default)]
    #[schema(value_type = Option<Object>, example = json!({"sub": "ann"}))]
    claims: Option<Map<String, Value>>,
}

impl Default for GivenCaller {
    fn default() -> Self {
        Self {
            application: None,
            subscription: None,
            plan: None,
            environment: production(),
            claims: None,
        }
    }
}

/// A header field of a message.
#[derive(Debug, Deserialize, serde::Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderField {
    /// Its name.
    #[schema(example = "x-tenant")]
    pub(super) name: String,
    /// Its value.
    #[schema(example = "eu-west")]
    pub(super) value: String,
}

const fn address() -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1))
}

impl MediateBody {
    /// Returns the call, and adds its faults to others.
    pub(super) fn into_call(self, now_s: i64, faults: &mut Vec<Fault>) -> Call {
        let Self {
            request, response, ..
        } = self;
        check_path(&request.path, faults);
        if !(200..=599).contains(&response.status) {
            let detail = "a status from 200 to 599";
            faults.push(Fault::new("/response/status", "mediate.status", detail));
        }
        Call {
            refusal: self.refusal.and_then(|code| refusal(&code, faults)),
            caller: self.caller.into_caller(faults),
            now_s: self.now.unwrap_or(now_s),
            address: self.address.to_string(),
            request: Request {
                method: request.method,
                path: request.path,
                fields: fields(request.headers, "/request", faults),
                body: request.body.into_bytes(),
            },
            response: Response {
                status: response.status,
                fields: fields(response.headers, "/response", faults),
                body: response.body.into_bytes(),
            },
        }
    }
}

impl GivenCaller {
    fn into_caller(self, faults: &mut Vec<Fault>) -> Caller {
        let words = [
            ("application", &self.application),
            ("subscription", &self.subscription),
            ("plan", &self.plan),
        ];
        for (name, word) in words {
            if word.as_ref().is_some_and(|it| it.len() > WORD_BYTES_MAX) {
                let detail = format!("at most {WORD_BYTES_MAX} bytes");
                let field = format!("/caller/{name}");
                faults.push(Fault::new(field, "mediate.caller", detail));
            }
        }
        let claims = self.claims.map(|claims| Value::Object(claims).to_string());
        if claims
            .as_ref()
            .is_some_and(|it| it.len() > CLAIMS_BYTES_MAX)
        {
            let detail = format!("at most {CLAIMS_BYTES_MAX} bytes");
            faults.push(Fault::new("/caller/claims", "mediate.caller", detail));
        }
        Caller {
            application: self.application,
            subscription: self.subscription,
            plan: self.plan,
            environment: self.environment,
            claims,
        }
    }
}

fn check_path(path: &str, faults: &mut Vec<Fault>) {
    let is_graphic = path.bytes().all(|byte| byte.is_ascii_graphic());
    let detail = if path.len() > PATH_BYTES_MAX {
        "a path has at most 8 KiB"
    } else if !path.starts_with('/') {
        "a path begins with \"/\""
    } else if !is_graphic || path.contains('#') {
        "a path and its query are percent-encoded, and have no fragment"
    } else {
        return;
    };
    faults.push(Fault::new("/request/path", "mediate.path", detail));
}

fn refusal(code: &str, faults: &mut Vec<Fault>) -> Option<Refusal> {
    let known = REFUSALS.iter().find(|it| it.facts().code == code);
    if known.is_none() {
        let detail = "gateways have no refusal with this code";
        faults.push(Fault::new("/refusal", "mediate.refusal", detail));
    }
    known.copied()
}

/// Returns the field lines of a message at a JSON Pointer.
fn fields(headers: Vec<HeaderField>, at: &str, faults: &mut Vec<Fault>) -> Vec<Field> {
    if headers.len() > FIELDS_MAX {
        let detail = format!("at most {FIELDS_MAX} header fields");
        let field = format!("{at}/headers");
        faults.push(Fault::new(field, "mediate.header", detail));
    }
    let headers = headers.into_iter().take(FIELDS_MAX).enumerate();
    let fields = headers.map(|(index, HeaderField { name, value })| {
        let at = format!("{at}/headers/{index}");
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_token) {
            let detail = "a name has 1 to 64 letters, digits or \"-\", \"_\" and the like";
            faults.push(Fault::new(format!("{at}/name"), "mediate.header", detail));
        }
        let is_control = |byte: u8| byte.is_ascii_control() && byte != b'\t';
        if value.len() > VALUE_BYTES_MAX || value.bytes().any(is_control) {
            let detail = "a value has at most 8 KiB and no control characters";
            faults.push(Fault::new(format!("{at}/value"), "mediate.header", detail));
        }
        (name, value.trim_matches([' ', '\t']).to_owned())
    });
    fields.collect()
}

/// Whether a byte may be part of a token (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
