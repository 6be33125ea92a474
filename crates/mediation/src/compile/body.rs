//! Compiles the steps that change bodies.

use tollgate_model::policies::{BODY_BYTES_LIMIT, OtherType, Policy, ReplaceText};

use super::step::{Place, Steps};
use crate::body::text;
use crate::body::{BodyStep, Change};
use crate::program::Action;

/// Maximum number of texts that a step replaces, and their bytes.
const PAIRS_MAX: usize = 16;
const PAIR_BYTES_MAX: usize = 256;

impl Steps<'_> {
    /// Compiles a step that changes the body.
    pub(super) fn body(&mut self, policy: &Policy, at: &str) -> Option<Action> {
        let (change, bytes_max, other_type) = match policy {
            Policy::ReplaceText(it) => (self.replace_text(it, at), it.bytes_max, it.other_type),
            _ => {
                let detail = format!("{} is not supported yet", policy.word());
                self.fault(format!("{at}/policy"), "policy.not_supported", detail);
                return None;
            }
        };
        if !(1..=BODY_BYTES_LIMIT).contains(&bytes_max) {
            let detail = format!("1 to {BODY_BYTES_LIMIT} bytes");
            self.fault(format!("{at}/bytes_max"), "policy.value", detail);
        }
        let by_default = match self.place {
            Place::Request => OtherType::Refuse,
            Place::Response | Place::Error => OtherType::Pass,
        };
        Some(Action::Body(Box::new(BodyStep {
            change: change?,
            bytes_max,
            refuses_others: other_type.unwrap_or(by_default) == OtherType::Refuse,
        })))
    }

    fn replace_text(&mut self, it: &ReplaceText, at: &str) -> Option<Change> {
        let field = format!("{at}/pairs");
        if it.pairs.is_empty() || it.pairs.len() > PAIRS_MAX {
            let detail = format!("1 to {PAIRS_MAX} pairs");
            self.fault(field, "policy.value", detail);
            return None;
        }
        for (index, pair) in it.pairs.iter().enumerate() {
            if pair.from.is_empty() || pair.from.len() > PAIR_BYTES_MAX {
                let detail = format!("a text of 1 to {PAIR_BYTES_MAX} bytes");
                self.fault(format!("{field}/{index}/from"), "policy.value", detail);
            }
            if pair.to.len() > PAIR_BYTES_MAX {
                let detail = format!("a text of at most {PAIR_BYTES_MAX} bytes");
                self.fault(format!("{field}/{index}/to"), "policy.value", detail);
            }
        }
        let pairs = it.pairs.iter();
        let pairs = pairs.map(|pair| (pair.from.as_str().into(), pair.to.as_str().into()));
        Some(Change::ReplaceText(text::ReplaceText {
            pairs: pairs.collect(),
        }))
    }
}
