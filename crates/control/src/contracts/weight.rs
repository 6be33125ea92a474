//! The memory used by compiled contracts and their misfits.

use std::mem::size_of;

use tollgate_model::compile::ContractOperation;
use tollgate_model::fault::Fault;
use tollgate_model::feed::ServedDocument;

use super::Made;
use crate::cache::Weight;

/// Overhead in bytes of a map's row and one allocation.
const ROW_BYTES: usize = 64;

impl Weight for Made {
    /// For most contracts this is mainly the served documents.
    fn bytes(&self) -> usize {
        let documents = self.contract.documents.iter();
        let documents = documents
            .map(|it| size_of::<ServedDocument>() + it.text.len() + it.query.len() + it.etag.len());
        let operations = self.contract.operations.iter().map(|it| {
            let body = it.body.as_ref();
            let body = body.map_or(0, |(namespace, local)| namespace.len() + local.len());
            let why = it.proxy_only.as_ref().map_or(0, String::len);
            size_of::<ContractOperation>() + it.name.len() + it.action.len() + body + why
        });
        let documentation = &self.documentation;
        let of_operations = documentation
            .operations
            .iter()
            .map(|(key, text)| key.len() + text.len());
        let of_types = documentation.types.values().map(|text| text.len());
        let fields = documentation.fields.values();
        let of_fields = fields.flatten().map(|(key, text)| key.len() + text.len());
        let words = of_operations.chain(of_types).chain(of_fields);
        let words = words.map(|bytes| bytes + ROW_BYTES);
        let all = documents.chain(operations).chain(words).sum::<usize>();
        all + self.contract.plan.len() + documentation.fields.len() * ROW_BYTES
    }
}

impl Weight for Vec<Fault> {
    fn bytes(&self) -> usize {
        let faults = self.iter();
        let faults = faults.map(|it| it.field.len() + it.code.len() + it.detail.len());
        faults.map(|bytes| bytes + size_of::<Fault>()).sum()
    }
}
