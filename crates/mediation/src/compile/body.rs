//! Compiles the steps that change bodies.

use tollgate_model::policies::{
    BODY_BYTES_LIMIT, Edit as WrittenEdit, JsonEdit as WrittenJsonEdit, Mask as WrittenMask,
    OtherType, Policy, ReplaceText, ThreatProtection as WrittenThreats,
};

use super::step::{Place, Steps};
use crate::body::edit::{Edit, JsonEdit};
use crate::body::mask::Mask;
use crate::body::path::{Path, Paths, STATES_MAX};
use crate::body::text;
use crate::body::threat::ThreatProtection;
use crate::body::{BodyStep, Change};
use crate::expression::Pattern;
use crate::program::Action;

/// Maximum number of texts that a step replaces, and their bytes.
const PAIRS_MAX: usize = 16;
const PAIR_BYTES_MAX: usize = 256;
/// Maximum number of edits of a step.
const EDITS_MAX: usize = 64;
/// Maximum bytes of a member's new name.
const MEMBER_BYTES_MAX: usize = 256;
/// Maximum number of paths that a step masks.
const PATHS_MAX: usize = 64;
/// Maximum number of patterns of a step, and their bytes.
const PATTERNS_MAX: usize = 16;
const PATTERN_BYTES_MAX: usize = 256;
/// Largest bounds of a body: what the reader of JSON accepts.
const DEPTH_MAX: u32 = 64;
const ITEMS_MAX: u32 = 100_000;

impl Steps<'_> {
    /// Compiles a step that changes the body.
    pub(super) fn body(&mut self, policy: &Policy, at: &str) -> Option<Action> {
        let (change, bytes_max, other_type) = match policy {
            Policy::JsonTemplate(it) => {
                let template = self.json_template(it, at).map(Change::JsonTemplate);
                (template, it.bytes_max, it.other_type)
            }
            Policy::JsonEdit(it) => (self.json_edit(it, at), it.bytes_max, it.other_type),
            Policy::Mask(it) => (self.mask(it, at), it.bytes_max, Some(it.other_type)),
            Policy::ThreatProtection(it) => {
                (self.threat_protection(it, at), it.bytes_max, it.other_type)
            }
            Policy::ReplaceText(it) => (self.replace_text(it, at), it.bytes_max, it.other_type),
            Policy::JsonToXml(it) => (self.json_to_xml(it, at), it.bytes_max, it.other_type),
            Policy::XmlToJson(it) => (self.xml_to_json(it, at), it.bytes_max, it.other_type),
            Policy::Compress(it) => (self.compress(it, at), it.bytes_max, Some(OtherType::Pass)),
            _ => return None,
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

    fn json_edit(&mut self, it: &WrittenJsonEdit, at: &str) -> Option<Change> {
        let field = format!("{at}/edits");
        if it.edits.is_empty() || it.edits.len() > EDITS_MAX {
            let detail = format!("1 to {EDITS_MAX} edits");
            self.fault(field, "policy.value", detail);
            return None;
        }
        let edits = it.edits.iter().enumerate();
        let edits: Vec<_> = edits
            .map(|(index, edit)| self.edit(edit, &format!("{field}/{index}")))
            .collect();
        let edits = edits.into_iter().collect::<Option<_>>()?;
        Some(Change::JsonEdit(JsonEdit { edits }))
    }

    fn edit(&mut self, edit: &WrittenEdit, at: &str) -> Option<Edit> {
        match edit {
            WrittenEdit::Set { set, value } => {
                let path = self.path(set, &format!("{at}/set"));
                let value = self.expression(value, &format!("{at}/value"));
                Some(Edit::Set(Paths::new(vec![path?])?, value?))
            }
            WrittenEdit::Remove { remove } => {
                let path = self.path(remove, &format!("{at}/remove"))?;
                Some(Edit::Remove(Paths::new(vec![path])?))
            }
            WrittenEdit::Rename { rename, to } => {
                let field = format!("{at}/rename");
                let path = self.path(rename, &field);
                let name = path.as_ref().map(Path::last_name);
                if name == Some(None) {
                    let detail = "the path of a member that is renamed ends in one name";
                    self.fault(field, "policy.path", detail);
                }
                if to.len() > MEMBER_BYTES_MAX || name == Some(Some(to)) {
                    let detail = format!("another name, of at most {MEMBER_BYTES_MAX} bytes");
                    self.fault(format!("{at}/to"), "policy.value", detail);
                }
                Some(Edit::Rename(Paths::new(vec![path?])?, to.as_str().into()))
            }
        }
    }

    fn path(&mut self, text: &str, field: &str) -> Option<Path> {
        self.parsed(Path::parse(text), field, "policy.path")
    }

    fn mask(&mut self, it: &WrittenMask, at: &str) -> Option<Change> {
        let field = format!("{at}/paths");
        if it.paths.is_empty() || it.paths.len() > PATHS_MAX {
            let detail = format!("1 to {PATHS_MAX} paths");
            self.fault(field, "policy.value", detail);
            return None;
        }
        let paths = it.paths.iter().enumerate();
        let paths: Vec<_> = paths
            .map(|(index, path)| self.path(path, &format!("{field}/{index}")))
            .collect();
        let paths = Paths::new(paths.into_iter().collect::<Option<_>>()?);
        if paths.is_none() {
            let detail = format!("all paths together have at most {STATES_MAX} segments");
            self.fault(field, "policy.value", detail);
        }
        let (paths, with) = (paths?, it.with);
        Some(Change::Mask(Mask { paths, with }))
    }

    fn threat_protection(&mut self, it: &WrittenThreats, at: &str) -> Option<Change> {
        let bytes_max = u32::try_from(BODY_BYTES_LIMIT).unwrap_or(u32::MAX);
        let bounds = [
            ("depth", it.depth, DEPTH_MAX),
            ("members", it.members, bytes_max),
            ("items", it.items, ITEMS_MAX),
            ("key_bytes", it.key_bytes, bytes_max),
            ("string_bytes", it.string_bytes, bytes_max),
        ];
        for (name, bound, max) in bounds {
            if !(1..=max).contains(&bound) {
                self.fault(
                    format!("{at}/{name}"),
                    "policy.value",
                    format!("1 to {max}"),
                );
            }
        }
        if it.patterns.len() > PATTERNS_MAX {
            let detail = format!("at most {PATTERNS_MAX} patterns");
            self.fault(format!("{at}/patterns"), "policy.value", detail);
            return None;
        }
        let patterns = it.patterns.iter().enumerate();
        let patterns: Vec<_> = patterns
            .map(|(index, text)| self.pattern(text, format!("{at}/patterns/{index}")))
            .collect();
        Some(Change::ThreatProtection(ThreatProtection {
            depth: it.depth,
            members: it.members,
            items: it.items,
            key_bytes: it.key_bytes,
            string_bytes: it.string_bytes,
            patterns: patterns.into_iter().collect::<Option<_>>()?,
        }))
    }

    fn pattern(&mut self, text: &str, field: String) -> Option<Pattern> {
        if text.is_empty() || text.len() > PATTERN_BYTES_MAX {
            let detail = format!("a pattern has 1 to {PATTERN_BYTES_MAX} bytes");
            self.fault(field, "policy.value", detail);
            return None;
        }
        let compiled = Pattern::try_from(text.to_owned());
        let compiled = compiled.map_err(|detail| self.fault(field, "policy.pattern", detail));
        compiled.ok()
    }
}
