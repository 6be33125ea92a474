//! The measures of a row, in JSON and in the OpenAPI document: both follow from their table.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use tollgate_analytics::{MEASURES, Measures};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

/// What the names of the measures by what answered begin with.
const ANSWERED: &str = "answered_";

/// The measures of a row. Those by what answered are members of `answered`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasuresBody {
    pub(crate) measures: Measures,
    /// Whether only `calls` is shown.
    pub(crate) is_short: bool,
}

impl MeasuresBody {
    /// The measures with their names, those by what answered without what they begin with.
    fn named(&self) -> [Vec<(&'static str, u64)>; 2] {
        let values = self.measures.values();
        let named = MEASURES.iter().map(|it| it.name).zip(values);
        let (answered, others): (Vec<_>, Vec<_>) =
            named.partition(|(name, _)| name.starts_with(ANSWERED));
        let answered = answered
            .into_iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(ANSWERED)?, value)));
        [others, answered.collect()]
    }
}

impl Serialize for MeasuresBody {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        if self.is_short {
            map.serialize_entry("calls", &self.measures.calls)?;
            return map.end();
        }
        let [others, answered] = self.named();
        for (name, value) in others {
            map.serialize_entry(name, &value)?;
        }
        let answered: serde_json::Map<_, _> = answered
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        map.serialize_entry("answered", &answered)?;
        map.serialize_entry("cache_rate", &self.measures.cache_rate())?;
        map.end()
    }
}

impl PartialSchema for MeasuresBody {
    fn schema() -> RefOr<Schema> {
        let mut body = ObjectBuilder::new().description(Some(
            "The measures of calls. If `metrics` were requested, only `calls`.",
        ));
        let mut answered = ObjectBuilder::new().description(Some(
            "Numbers of calls by what answered them. Their sum is `calls`, except for calls of \
             releases without these numbers and calls without detail (`losses`).",
        ));
        for measure in MEASURES {
            let number = ObjectBuilder::new()
                .schema_type(Type::Integer)
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
                .minimum(Some(0))
                .description(Some(measure.meaning));
            if let Some(name) = measure.name.strip_prefix(ANSWERED) {
                answered = answered.property(name, number).required(name);
            } else {
                body = body.property(measure.name, number);
            }
        }
        let cache_rate = ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Number, Type::Null]))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Double)))
            .description(Some(
                "Share of calls that the cache of responses answered (`hit`, `stale`, \
                 `revalidated`) among those and the calls for which it had no response (`miss`), \
                 between 0 and 1; null if there are none of these.",
            ));
        body.required("calls")
            .property("answered", answered)
            .property("cache_rate", cache_rate)
            .into()
    }
}

impl ToSchema for MeasuresBody {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("UsageMeasures")
    }
}
