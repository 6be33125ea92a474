//! JSON schemas of types with hand-written JSON: ids, path templates and windows.
//!
//! Only with the feature `schema`, which the control plane enables to describe its HTTP API
//! (OpenAPI 3.1); the other types derive theirs.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::id::{self, Id, Kind};
use crate::plan::{Dimension, Per};
use crate::policies::{Policy, Step};
use crate::template::PathTemplate;
use crate::window::{Unit, Window};

impl<K: Kind> PartialSchema for Id<K> {
    fn schema() -> RefOr<Schema> {
        let pattern = format!("^{}_[0-9A-Za-z]{{{}}}$", K::PREFIX, id::TEXT_DIGITS);
        let description = format!(
            "`{}_` and eleven letters or digits, sortable by time",
            K::PREFIX
        );
        string()
            .pattern(Some(pattern))
            .description(Some(description))
            .into()
    }
}

impl<K: Kind> ToSchema for Id<K> {
    fn name() -> Cow<'static, str> {
        let kind = std::any::type_name::<K>();
        let kind = kind.rsplit("::").next().unwrap_or(kind);
        Cow::Owned(format!("{kind}Id"))
    }
}

/// One object for each policy, with its name, its condition and its fields.
impl PartialSchema for Step {
    fn schema() -> RefOr<Schema> {
        let condition = string()
            .description(Some(
                "Expression that decides whether the step runs; if absent, it always runs.",
            ))
            .examples(["caller.plan == \"trial\""])
            .build();
        let mut steps =
            OneOfBuilder::new().description(Some("A step: a policy and its condition."));
        for (word, schema) in Policy::schemas() {
            let RefOr::T(Schema::Object(mut step)) = schema else {
                continue;
            };
            let policy = string().enum_values(Some([word])).build();
            step.properties.insert("policy".to_owned(), policy.into());
            step.properties
                .insert("if".to_owned(), condition.clone().into());
            step.required.push("policy".to_owned());
            steps = steps.item(step);
        }
        steps.into()
    }
}

impl ToSchema for Step {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Step")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Policy::add_schemas(schemas);
    }
}

impl PartialSchema for PathTemplate {
    fn schema() -> RefOr<Schema> {
        let description = "A path template such as `/pets/{pet}` or `/pets/{pet}.json`. The last \
            segment may be the rest of the path: `/files/{rest*}` for none, one or more segments, \
            `/files/{rest+}` for one or more.";
        string()
            .pattern(Some("^/"))
            .description(Some(description))
            .into()
    }
}

impl ToSchema for PathTemplate {}

impl PartialSchema for Window {
    fn schema() -> RefOr<Schema> {
        let description = "Length of a limit's window: a unit, or a number and a unit. At most \
            1000 seconds, minutes, hours or days, 52 weeks, 12 months, or one year.";
        let units = Unit::ALL.map(Unit::word).join("|");
        let pattern = format!("^(1 )?({units})$|^[1-9][0-9]{{0,3}} ({units})s$");
        string()
            .pattern(Some(pattern))
            .description(Some(description))
            .examples(["minute", "5 minutes"])
            .into()
    }
}

impl ToSchema for Window {}

impl PartialSchema for Per {
    fn schema() -> RefOr<Schema> {
        let description = "What calls have in common that share a counter: a word, or two words.";
        let word = || string().enum_values(Some(Dimension::ALL.map(Dimension::word)));
        let list = ArrayBuilder::new()
            .items(word())
            .min_items(Some(1))
            .max_items(Some(Self::DIMENSIONS_MAX));
        OneOfBuilder::new()
            .item(word())
            .item(list)
            .description(Some(description))
            .into()
    }
}

impl ToSchema for Per {}

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::String))
}
