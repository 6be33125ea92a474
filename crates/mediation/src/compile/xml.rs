//! Compiles the steps that convert between JSON and XML, and those that compress.

use tollgate_model::policies;
use tollgate_xml::is_name;

use super::step::Steps;
use crate::body::Change;
use crate::body::compress::Compress;
use crate::body::json_to_xml::{self, JsonToXml};
use crate::body::xml_to_json::XmlToJson;

/// Maximum bytes of the name of the text member, and of the beginning of attributes' names.
const MEMBER_BYTES_MAX: usize = 64;
/// Maximum number of paths of arrays, and names of one.
const ARRAYS_MAX: usize = 64;

impl Steps<'_> {
    pub(super) fn json_to_xml(&mut self, it: &policies::JsonToXml, at: &str) -> Option<Change> {
        for (name, field) in [(&it.root, "root"), (&it.item, "item")] {
            if !is_name(name) || name.len() > json_to_xml::NAME_BYTES_MAX {
                let detail = "a name of XML, such as \"order\"";
                self.fault(format!("{at}/{field}"), "policy.value", detail);
            }
        }
        self.check_members(&it.attributes, &it.text, at);
        Some(Change::JsonToXml(JsonToXml {
            root: it.root.as_str().into(),
            item: it.item.as_str().into(),
            attributes: it.attributes.as_str().into(),
            text: it.text.as_str().into(),
        }))
    }

    pub(super) fn xml_to_json(&mut self, it: &policies::XmlToJson, at: &str) -> Option<Change> {
        self.check_members(&it.attributes, &it.text, at);
        if it.arrays.len() > ARRAYS_MAX {
            let detail = format!("at most {ARRAYS_MAX} paths");
            self.fault(format!("{at}/arrays"), "policy.value", detail);
        }
        let mut arrays = Vec::new();
        for (index, path) in it.arrays.iter().enumerate() {
            let names: Box<[Box<str>]> = path.split('/').map(Box::from).collect();
            let are_names = names.iter().all(|name| is_name(name));
            if names.len() > ARRAYS_MAX || !are_names {
                let detail = "names of elements from below the root, separated by \"/\"";
                self.fault(format!("{at}/arrays/{index}"), "policy.value", detail);
            }
            arrays.push(names);
        }
        Some(Change::XmlToJson(XmlToJson {
            arrays: arrays.into(),
            attributes: it.attributes.as_str().into(),
            text: it.text.as_str().into(),
        }))
    }

    /// Checks the names of members that are no elements: no name of an element may be one of them,
    /// or one member would be there twice.
    fn check_members(&mut self, attributes: &str, text: &str, at: &str) {
        let is_apart = |name: &str| {
            let first = name.chars().next();
            first.is_some_and(|first| !is_name(first.encode_utf8(&mut [0; 4])))
        };
        if (!attributes.is_empty() && !is_apart(attributes)) || attributes.len() > MEMBER_BYTES_MAX
        {
            let detail = "a beginning that no name of XML has, such as \"@\", or nothing";
            self.fault(format!("{at}/attributes"), "policy.value", detail);
        }
        let as_attribute = text
            .strip_prefix(attributes)
            .filter(|_| !attributes.is_empty());
        if !is_apart(text) || as_attribute.is_some_and(is_name) || text.len() > MEMBER_BYTES_MAX {
            let detail = "a name that no element and no attribute has, such as \"#text\"";
            self.fault(format!("{at}/text"), "policy.value", detail);
        }
    }

    pub(super) fn compress(&mut self, it: &policies::Compress, at: &str) -> Option<Change> {
        if it.min_bytes == 0 || it.min_bytes > it.bytes_max {
            let detail = "1 byte to bytes_max";
            self.fault(format!("{at}/min_bytes"), "policy.value", detail);
        }
        let accepted = "request.headers[\"accept-encoding\"]";
        let accepted = self.expression(accepted, &format!("{at}/policy"))?;
        let min_bytes = it.min_bytes;
        Some(Change::Compress(Compress {
            min_bytes,
            accepted,
        }))
    }
}
