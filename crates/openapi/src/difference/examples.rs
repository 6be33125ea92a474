//! A pair of examples for each rule: a change that breaks callers by it, and one that does not.
//! They are tests, and part of the reference page.

use super::rule::Rule;

/// The kind of value that an example shows, in YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The path item of `/pets`.
    PathItem,
    /// The schema of a JSON request body.
    Request,
    /// The schema of a JSON response.
    Response,
}

/// A value, and two values that replace it.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) rule: Rule,
    pub(super) of: Of,
    pub(super) before: &'static str,
    pub(super) breaks: &'static str,
    pub(super) compatible: &'static str,
}

/// One example for each rule, in the order of the rules.
pub(super) const EXAMPLES: [Example; 18] = [
    Example {
        rule: Rule::OperationRemoved,
        of: Of::PathItem,
        before: "{get: {}, delete: {}}",
        breaks: "{get: {}}",
        compatible: "{get: {}, delete: {}, post: {}}",
    },
    Example {
        rule: Rule::ParameterRemoved,
        of: Of::PathItem,
        before: "{get: {parameters: [{name: limit, in: query}]}}",
        breaks: "{get: {}}",
        compatible: "{get: {parameters: [{name: limit, in: query}, {name: page, in: query}]}}",
    },
    Example {
        rule: Rule::ParameterRequired,
        of: Of::PathItem,
        before: "{get: {}}",
        breaks: "{get: {parameters: [{name: limit, in: query, required: true}]}}",
        compatible: "{get: {parameters: [{name: limit, in: query}]}}",
    },
    Example {
        rule: Rule::PropertyRequired,
        of: Of::Request,
        before: "{type: object, properties: {name: {type: string}}}",
        breaks: "{type: object, properties: {name: {type: string}}, required: [name]}",
        compatible: "{type: object, properties: {name: {type: string}, tag: {type: string}}}",
    },
    Example {
        rule: Rule::BodyRequired,
        of: Of::PathItem,
        before: "{post: {requestBody: {content: {application/json: {}}}}}",
        breaks: "{post: {requestBody: {required: true, content: {application/json: {}}}}}",
        compatible: "{post: {requestBody: {content: {application/json: {}, text/csv: {}}}}}",
    },
    Example {
        rule: Rule::RequestTypeNarrower,
        of: Of::Request,
        before: "{type: number}",
        breaks: "{type: integer}",
        compatible: "{type: [number, string]}",
    },
    Example {
        rule: Rule::RequestEnumerationNarrower,
        of: Of::Request,
        before: "{type: string, enum: [cat, dog]}",
        breaks: "{type: string, enum: [cat]}",
        compatible: "{type: string, enum: [cat, dog, bird]}",
    },
    Example {
        rule: Rule::RequestBoundNarrower,
        of: Of::Request,
        before: "{type: string, maxLength: 20}",
        breaks: "{type: string, maxLength: 10}",
        compatible: "{type: string, maxLength: 30}",
    },
    Example {
        rule: Rule::RequestNullRemoved,
        of: Of::Request,
        before: "{type: [string, 'null']}",
        breaks: "{type: string}",
        compatible: "{type: string, nullable: true}",
    },
    Example {
        rule: Rule::ResponseTypeWider,
        of: Of::Response,
        before: "{type: integer}",
        breaks: "{type: number}",
        compatible: "{type: integer, format: int32}",
    },
    Example {
        rule: Rule::ResponseEnumerationWider,
        of: Of::Response,
        before: "{type: string, enum: [cat, dog]}",
        breaks: "{type: string, enum: [cat, dog, bird]}",
        compatible: "{type: string, enum: [cat]}",
    },
    Example {
        rule: Rule::ResponseBoundWider,
        of: Of::Response,
        before: "{type: integer, minimum: 1}",
        breaks: "{type: integer, minimum: 0}",
        compatible: "{type: integer, minimum: 2}",
    },
    Example {
        rule: Rule::ResponseNullAdded,
        of: Of::Response,
        before: "{type: string}",
        breaks: "{type: [string, 'null']}",
        compatible: "{type: string, minLength: 1}",
    },
    Example {
        rule: Rule::ResponseRemoved,
        of: Of::PathItem,
        before: "{post: {responses: {'200': {}, '404': {}}}}",
        breaks: "{post: {responses: {'201': {}, '404': {}}}}",
        compatible: "{post: {responses: {'200': {}, '409': {}}}}",
    },
    Example {
        rule: Rule::ResponsePropertyRemoved,
        of: Of::Response,
        before: "{type: object, properties: {name: {type: string}}, required: [name]}",
        breaks: "{type: object, properties: {name: {type: string}}}",
        compatible: "{type: object, properties: {name: {type: string}, tag: {type: string}}, \
                     required: [name, tag]}",
    },
    Example {
        rule: Rule::MediaTypeRemoved,
        of: Of::PathItem,
        before: "{post: {requestBody: {content: {application/json: {}, text/csv: {}}}}}",
        breaks: "{post: {requestBody: {content: {application/json: {}}}}}",
        compatible: "{post: {requestBody: {content: {application/json: {}, text/*: {}}}}}",
    },
    Example {
        rule: Rule::SecurityRequired,
        of: Of::PathItem,
        before: "{get: {security: [{key: []}]}}",
        breaks: "{get: {security: [{oauth2: []}]}}",
        compatible: "{get: {security: [{key: []}, {oauth2: []}]}}",
    },
    Example {
        rule: Rule::ScopeAdded,
        of: Of::PathItem,
        before: "{get: {security: [{oauth2: [read]}]}}",
        breaks: "{get: {security: [{oauth2: [read, list]}]}}",
        compatible: "{get: {security: [{oauth2: []}]}}",
    },
];
