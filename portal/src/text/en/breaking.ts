// The rules by which changes of a document break callers, as in `docs/reference/breaking.md`.

export const breakingRules: Record<string, { title: string; detail: string }> = {
  operation_removed: {
    title: "Operation removed",
    detail:
      "An operation is gone: all calls of it fail. An operation with another path is another operation, unless only names of path parameters differ.",
  },
  parameter_removed: {
    title: "Parameter removed",
    detail:
      "A parameter of the query, the header or a cookie is no longer accepted: it is ignored or rejected.",
  },
  parameter_required: {
    title: "Parameter required",
    detail: "A parameter is new and required, or was optional: calls without it are rejected.",
  },
  property_required: {
    title: "Request property required",
    detail:
      "A property of a request is new and required, or was optional: requests without it are rejected.",
  },
  body_required: {
    title: "Request body required",
    detail:
      "A request body is new and required, or was optional: requests without a body are rejected.",
  },
  request_type_narrower: {
    title: "Request type narrower",
    detail:
      "The type, the format, the style or the alternatives of a request value changed, so that values that were valid are rejected.",
  },
  request_enumeration_narrower: {
    title: "Request enumeration narrower",
    detail: "Values of an enumeration are no longer accepted in requests.",
  },
  request_bound_narrower: {
    title: "Request bound narrower",
    detail:
      "A bound of a request value is tighter: its minimum or maximum, its length, its number of items or properties, a pattern, multipleOf, uniqueItems or additionalProperties.",
  },
  request_null_removed: {
    title: "Null no longer accepted",
    detail: "A request value can no longer be null.",
  },
  response_type_wider: {
    title: "Response type wider",
    detail:
      "The type, the format or the alternatives of a response value changed, so that callers receive values that they do not expect.",
  },
  response_enumeration_wider: {
    title: "Response enumeration wider",
    detail: "An enumeration has new values in responses, which callers do not expect.",
  },
  response_bound_wider: {
    title: "Response bound wider",
    detail:
      "A bound of a response value is looser, so that callers receive values that they do not expect: the bounds of request_bound_narrower.",
  },
  response_null_added: {
    title: "Null newly returned",
    detail: "A response value can now be null.",
  },
  response_removed: {
    title: "Response removed",
    detail:
      "A status that is not an error is gone from the responses. Statuses that a range such as 2XX, or default, still describes are not gone.",
  },
  response_property_removed: {
    title: "Required response property removed",
    detail: "A property or a header that responses always had is gone, or is now optional.",
  },
  media_type_removed: {
    title: "Media type removed",
    detail: "A media type is no longer accepted in requests, or no longer available in responses.",
  },
  security_required: {
    title: "Security required",
    detail: "Calls without a credential, or with a credential of another scheme, are rejected.",
  },
  scope_added: {
    title: "Scope added",
    detail: "Access tokens need another scope.",
  },
};
