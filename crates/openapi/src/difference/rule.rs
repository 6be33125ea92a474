//! The closed list of breaking changes.
//!
//! Requests are contravariant: a change breaks callers if it rejects what was accepted. Responses
//! are covariant: a change breaks callers if it returns what was never returned.

use serde::Serialize;

/// One row a rule: the stable word, a short title, and one or two sentences for publishers: the
/// change and why it breaks callers.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $title:literal, $sentence:literal;)*) => {
        /// A rule that a breaking change matches.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        pub enum Rule {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        /// All rules, in the order of [`Rule`].
        pub const RULES: &[Rule] = &[$(Rule::$name,)*];

        impl Rule {
            /// Returns the stable word of the rule, such as `operation_removed`.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns a short title.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// Returns one or two sentences for publishers: the change and why it breaks callers.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

rules! {
    /// An operation is gone.
    OperationRemoved = "operation_removed", "Operation removed",
        "An operation is gone: all calls of it fail. An operation with another path is \
         another operation, unless only names of path parameters differ.";
    /// A parameter is gone.
    ParameterRemoved = "parameter_removed", "Parameter removed",
        "A parameter of the query, the header or a cookie is no longer accepted: it is \
         ignored or rejected.";
    /// A parameter is new and required, or was optional.
    ParameterRequired = "parameter_required", "Parameter required",
        "A parameter is new and required, or was optional: calls without it are rejected.";
    /// A property of a request is new and required, or was optional.
    PropertyRequired = "property_required", "Request property required",
        "A property of a request is new and required, or was optional: requests without \
         it are rejected.";
    /// A request body is new and required, or was optional.
    BodyRequired = "body_required", "Request body required",
        "A request body is new and required, or was optional: requests without a body are \
         rejected.";
    /// A request value has fewer types, another format, fewer alternatives or another style.
    RequestTypeNarrower = "request_type_narrower", "Request type narrower",
        "The type, the format, the style or the alternatives of a request value changed, \
         so that values that were valid are rejected.";
    /// A request value has fewer enumeration values.
    RequestEnumerationNarrower = "request_enumeration_narrower", "Request enumeration narrower",
        "Values of an enumeration are no longer accepted in requests.";
    /// A request value has tighter bounds.
    RequestBoundNarrower = "request_bound_narrower", "Request bound narrower",
        "A bound of a request value is tighter: its minimum or maximum, its length, its \
         number of items or properties, a pattern, `multipleOf`, `uniqueItems` or \
         `additionalProperties`.";
    /// A request value can no longer be null.
    RequestNullRemoved = "request_null_removed", "Null no longer accepted",
        "A request value can no longer be null.";
    /// A response value has more types, another format or more alternatives.
    ResponseTypeWider = "response_type_wider", "Response type wider",
        "The type, the format or the alternatives of a response value changed, so that \
         callers receive values that they do not expect.";
    /// A response value has more enumeration values.
    ResponseEnumerationWider = "response_enumeration_wider", "Response enumeration wider",
        "An enumeration has new values in responses, which callers do not expect.";
    /// A response value has looser bounds.
    ResponseBoundWider = "response_bound_wider", "Response bound wider",
        "A bound of a response value is looser, so that callers receive values that they \
         do not expect: the bounds of `request_bound_narrower`.";
    /// A response value can now be null.
    ResponseNullAdded = "response_null_added", "Null newly returned",
        "A response value can now be null.";
    /// A response status is gone.
    ResponseRemoved = "response_removed", "Response removed",
        "A status that is not an error is gone from the responses. Statuses that a range \
         such as `2XX`, or `default`, still describes are not gone.";
    /// A required property or header of a response is gone or optional.
    ResponsePropertyRemoved = "response_property_removed", "Required response property removed",
        "A property or a header that responses always had is gone, or is now optional.";
    /// A media type of a request or response is gone.
    MediaTypeRemoved = "media_type_removed", "Media type removed",
        "A media type is no longer accepted in requests, or no longer available in \
         responses.";
    /// Calls need a credential, or a different one.
    SecurityRequired = "security_required", "Security required",
        "Calls without a credential, or with a credential of another scheme, are rejected.";
    /// Calls need another scope.
    ScopeAdded = "scope_added", "Scope added",
        "Access tokens need another scope.";
}
