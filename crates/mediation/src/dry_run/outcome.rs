//! A whole dry run: the steps of the request and of the response or refusal, the request to the
//! upstream, and the response to the caller.

use tollgate_json::tape::{Bounds, Tape, View};
use tollgate_model::api::{Kind, Method};
use tollgate_model::compile::serve_targets;
use tollgate_model::feed::ServedTarget;
use tollgate_model::refusal::Refusal;

use super::forward::{self, Hidden};
use super::head::{Head, problem};
use super::message::{AnswerSource, ErrorFacts, Facts, Field, RequestSource};
use super::route::NoRoute;
use super::steps::{BodyState, End, List, Ran, run_list};
use super::target::Target;
use super::{AnsweredBy, Call, Outcome, Refused, Response, Shown, Site, Start};
use crate::apply::{self, AnswerHead, Location};
use crate::compile::Origins;
use crate::edits::Edits;
use crate::form::{self, Forms};
use crate::message::KeptNames;
use crate::program::Program;
use crate::run::{self, Given, Stop};
use crate::scope::Scratch;

/// Runs the steps of a call's messages.
///
/// # Errors
/// Fails if no operation has the request's path and method.
pub fn run(site: &Site<'_>, call: &Call) -> Result<Outcome, NoRoute> {
    let target = Target::find(site, call)?;
    let mut tape = Tape::default();
    let claims = call.caller.claims.as_deref();
    let claims = claims.and_then(|text| tape.read(text.as_bytes(), Bounds::default()).ok());
    let claims = claims.map(|text| tape.view(text));
    let hidden = Hidden::new(site.configuration, site.session_cookies);
    let (program, origins) = target.program(site);
    let below = hidden.target(&target.below, false);
    let run = Run {
        site,
        call,
        facts: Facts {
            site,
            operation: target.operation.as_deref(),
            now_s: call.now_s,
        },
        readable: hidden.readable(&with_length(call)),
        hidden: &hidden,
        below: &below,
        target: &target,
        claims: claims.as_ref(),
        program,
        origins: &origins,
    };
    Ok(match call.refusal {
        Some(refusal) => {
            let refused = Refused {
                refusal,
                detail: refusal.facts().title.to_owned(),
                pointer: None,
            };
            run.refused(run.no_steps(), None, refused)
        }
        None => run.request(),
    })
}

/// A dry run in progress.
struct Run<'a> {
    site: &'a Site<'a>,
    call: &'a Call,
    facts: Facts<'a>,
    /// The field lines of the request that steps read.
    readable: Vec<Field>,
    hidden: &'a Hidden<'a>,
    /// Path and query below the version, without the caller's credential.
    below: &'a str,
    target: &'a Target,
    claims: Option<&'a View<'a>>,
    program: &'a Program,
    origins: &'a Origins,
}

impl Run<'_> {
    fn request(&self) -> Outcome {
        let request = &self.call.request;
        let list = List {
            steps: &self.program.request,
            origins: &self.origins.request,
        };
        let mut body = BodyState::new(request.body.clone(), self.body_bytes_max());
        let mut edits = Edits::default();
        let show = |edits: &Edits<'_>, body: &BodyState| self.shown(edits, body);
        let source = |length| self.source(length);
        let (rows, end) = run_list(list, source, &mut body, &mut edits, show);
        match end {
            End::Go => self.response(rows, &body, &edits),
            End::Given(given) => self.given(rows, &given),
            End::Stop(stop, pointer) => {
                let refused = refused(&stop, Some(pointer), false);
                self.refused(rows, None, refused)
            }
        }
    }

    /// Returns the request with the edits of its steps and the beginning of its body.
    fn shown(&self, edits: &Edits<'_>, body: &BodyState) -> Shown {
        let masked = self.hidden.target(&self.target.below, true);
        let method = self.call.request.sent_method(edits);
        let start = Start::Request(method, self.target_with(edits, &masked));
        let fields = forward::edited(&self.call.request.fields, edits, self.hidden);
        Shown::with_beginning(start, fields, &body.bytes)
    }

    /// Returns the request of a call without running its steps.
    fn no_steps(&self) -> Ran {
        let body = BodyState::new(self.call.request.body.clone(), None);
        let mut before = self.shown(&Edits::default(), &body);
        before.cut_head();
        Ran {
            before,
            steps: Vec::new(),
        }
    }

    fn source(&self, body_length: crate::message::BodyLength) -> RequestSource<'_> {
        RequestSource {
            facts: self.facts,
            method: self.call.request.method.word(),
            sent_path: &self.target.sent_path,
            below: self.below,
            parameters: &self.target.parameters,
            fields: &self.readable,
            caller: &self.call.caller,
            claims: self.claims,
            address: &self.call.address,
            body_length,
        }
    }

    fn target_with(&self, edits: &Edits<'_>, below: &str) -> String {
        let mut target = Vec::new();
        apply::push_target(&mut target, edits, below.as_bytes());
        String::from_utf8_lossy(&target).into_owned()
    }

    /// Returns the request to the upstream.
    fn sent(&self, edits: &Edits<'_>, body: &BodyState) -> Shown {
        let forms = Forms {
            is_changed: body.is_changed || body.is_decoded,
            is_decoded: body.is_decoded,
            ..self.forms()
        };
        let method = self.call.request.sent_method(edits);
        let fields = forward::sent(self.call, self.site, self.hidden, edits, forms);
        let path = self.target_with(edits, self.below);
        let mut path = forward::with_own_query(path, self.site, &self.call.caller);
        if self.site.kind != Kind::Soap && !path.starts_with('/') {
            path.insert(0, '/');
        }
        Shown::new(Start::Request(method, path), fields, &body.bytes)
    }

    /// Runs the steps of the upstream's response.
    fn response(&self, request: Ran, body: &BodyState, edits: &Edits<'_>) -> Outcome {
        let bytes = self.call.request.body.len() as u64;
        let bytes_max = self.body_bytes_max().filter(|_| !body.is_read());
        if bytes_max.is_some_and(|bytes_max| bytes > bytes_max) {
            let refused = Refused {
                refusal: Refusal::BodyTooLarge,
                detail: Refusal::BodyTooLarge.facts().title.to_owned(),
                pointer: None,
            };
            return self.refused(request, None, refused);
        }
        let sent = Some(self.sent(edits, body));
        let kept = match self.keep(edits) {
            Ok(kept) => kept,
            Err(stop) => return self.refused(request, None, refused(&stop, None, false)),
        };
        let Response {
            status,
            fields,
            body,
        } = &self.call.response;
        let head = Head {
            status: *status,
            fields: forward::passed(fields, self.site, self.hidden),
        };
        let is_bodiless =
            self.call.request.method == Method::Head || matches!(status, 204 | 205 | 304);
        let body = if is_bodiless {
            Vec::new()
        } else {
            body.clone()
        };
        let mut body = BodyState::new(body, None);
        let mut edits = Edits::default();
        let list = List {
            steps: &self.program.response,
            origins: &self.origins.response,
        };
        let source = |body_length| AnswerSource {
            facts: self.facts,
            kept: (&self.program.kept, &kept),
            status: head.status,
            fields: &head.fields,
            error: None,
            body_length,
        };
        let show = |edits: &Edits<'_>, body: &BodyState| self.answer(&head, false, edits, body);
        let (rows, end) = run_list(list, source, &mut body, &mut edits, show);
        if let End::Stop(stop, pointer) = end {
            let refused = refused(&stop, Some(pointer), true);
            return Outcome {
                sent,
                ..self.refused(request, Some(rows), refused)
            };
        }
        Outcome {
            sent,
            answer: self.answer(&head, true, &edits, &body),
            response: Some(rows),
            ..self.outcome(request)
        }
    }

    /// Returns the response with the edits of its steps: after the last one whole and with its
    /// entity tag, before with the beginning of its body.
    fn answer(&self, head: &Head, is_last: bool, edits: &Edits<'_>, body: &BodyState) -> Shown {
        let mut head = head.clone();
        if body.is_changed || body.is_decoded {
            form::replace_body(&mut head, body.is_decoded);
        }
        let forms = self.forms();
        if is_last && forms.reads_answers {
            forms.revise(edits, &mut head, self.call.request.method == Method::Head);
        }
        apply::to_answer(edits, &mut head, |pair| self.is_session(pair));
        for name in edits.locations() {
            let at = Location {
                public: self.site.public_path,
                targets: &self.targets(),
                reading: self.site.configuration.reading(),
            };
            let _is_left_out = apply::rewrite_location(&mut head, name, at);
        }
        match is_last {
            true => head.shown(&body.bytes),
            false => head.shown_with_beginning(&body.bytes),
        }
    }

    fn forms(&self) -> Forms<'_> {
        let mut programs = self.site.compiled.programs.iter();
        let is_revised = programs.any(Program::reads_response_body);
        Forms {
            revision: is_revised.then_some(self.site.revision),
            reads_answers: self.program.reads_response_body(),
            is_changed: false,
            is_decoded: false,
        }
    }

    fn body_bytes_max(&self) -> Option<u64> {
        self.site.configuration.body_bytes_max
    }

    fn is_session(&self, pair: &[u8]) -> bool {
        str::from_utf8(pair).is_ok_and(|pair| self.hidden.is_session(pair))
    }

    fn targets(&self) -> Vec<ServedTarget> {
        let upstream = self.call.caller.upstream(self.site.configuration);
        upstream.map(serve_targets).unwrap_or_default()
    }

    fn keep(&self, edits: &Edits<'_>) -> Result<KeptNames, Stop> {
        let source = self.source(crate::message::BodyLength::None);
        let source = &source;
        let mut scratch = Scratch::default();
        let message = crate::message::Messages::message(source);
        run::keep(&self.program.kept, &message, edits, &mut scratch)
    }

    /// A step of the request has responded.
    fn given(&self, request: Ran, given: &Given) -> Outcome {
        let mut head = Head::new(given.status);
        for (name, value) in &given.fields {
            head.push_field(name, value);
        }
        Outcome {
            answer: head.shown(&given.body),
            answered_by: match given.is_mock {
                true => AnsweredBy::Mock,
                false => AnsweredBy::Policy,
            },
            ..self.outcome(request)
        }
    }

    /// Runs the steps of a refusal. If a step fails, the response stays as it is.
    fn refused(&self, request: Ran, response: Option<Ran>, refused: Refused) -> Outcome {
        let facts = refused.refusal.facts();
        let mut head = Head::new(facts.status);
        head.push_field("content-type", b"application/problem+json");
        head.push_field("cache-control", b"no-store");
        let problem = problem(&refused);
        let kept = self.keep(&Edits::default()).ok();
        let steps = kept.as_ref().map_or(&[][..], |_| &self.program.error);
        let kept = kept.unwrap_or_default();
        let source = |body_length| AnswerSource {
            facts: self.facts,
            kept: (&self.program.kept, &kept),
            status: head.status,
            fields: &head.fields,
            error: Some(ErrorFacts {
                code: facts.code,
                status: facts.status,
                detail: &refused.detail,
            }),
            body_length,
        };
        let show = |edits: &Edits<'_>, _: &BodyState| {
            let mut head = head.clone();
            apply::to_answer(edits, &mut head, |pair| self.is_session(pair));
            head.shown(&problem)
        };
        let list = List {
            steps,
            origins: &self.origins.error,
        };
        let (mut body, mut edits) = (BodyState::default(), Edits::default());
        let (rows, end) = run_list(list, source, &mut body, &mut edits, show);
        let answer = match end {
            End::Go => show(&edits, &body),
            End::Given(given) => {
                let mut head = head.clone();
                apply::replace(&mut head, &given);
                head.shown(&given.body)
            }
            End::Stop(..) => head.shown(&problem),
        };
        Outcome {
            response,
            error: Some(rows),
            answer,
            answered_by: AnsweredBy::Gateway,
            refused: Some(refused),
            ..self.outcome(request)
        }
    }

    fn outcome(&self, request: Ran) -> Outcome {
        Outcome {
            operation: self.target.operation.clone(),
            request,
            sent: None,
            response: None,
            error: None,
            answer: Head::new(200).shown(b""),
            answered_by: AnsweredBy::Upstream,
            refused: None,
        }
    }
}

/// Returns the request's field lines with the length of its body, which clients send.
fn with_length(call: &Call) -> Vec<Field> {
    let request = &call.request;
    let mut fields = request.fields.clone();
    let mut names = fields.iter().map(|(name, _)| name);
    let has_length = names.any(|name| name.eq_ignore_ascii_case("content-length"));
    if !has_length && !request.body.is_empty() {
        let length = request.body.len().to_string();
        fields.push(("content-length".to_owned(), length));
    }
    fields
}

/// Returns the refusal of a message that a step stops.
fn refused(stop: &Stop, pointer: Option<String>, of_response: bool) -> Refused {
    let refusal = stop.refusal(of_response);
    let detail = stop.detail(of_response);
    Refused {
        refusal,
        detail: detail.unwrap_or_else(|| refusal.facts().title.to_owned()),
        pointer,
    }
}
