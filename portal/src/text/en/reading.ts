// Texts of the settings for how a version's back end parses paths.

export const readingWords = {
  title: "How the back end parses paths",
  note: "A call is refused if the back end could map its path to another operation than the gateway",
  more: "Semicolons, case and method overrides",
  encodedSlash: {
    label: "Encoded slash (%2F) in a parameter",
    choices: {
      refuse: { label: "Refuse", detail: "No parameter of this API contains a slash." },
      pass: {
        label: "Pass unless it leads to another operation",
        detail: "The back end may decode the path before it splits it into segments.",
      },
      data: {
        label: "Pass always",
        detail: "The back end splits the path before it decodes it: an encoded slash is data.",
      },
    },
  },
  semicolon: {
    label: "Semicolon in the path",
    choices: {
      check: {
        label: "Check",
        detail: "The back end may cut a segment there, as Servlet containers do.",
      },
      pass: { label: "Pass", detail: "A character like any other, as in matrix parameters." },
    },
  },
  paths: {
    label: "Letter case",
    choices: {
      exact: { label: "Different", detail: "/Orders is not /orders." },
      ignore_case: {
        label: "The same",
        detail: "The back end ignores case, so the gateway does too.",
      },
    },
  },
  methodOverride: {
    label: "X-HTTP-Method-Override and similar fields",
    choices: {
      refuse: {
        label: "Refuse",
        detail: "Calls that name another method are refused; otherwise the field is removed.",
      },
      pass: { label: "Pass", detail: "The back end ignores these fields." },
    },
  },
  overview: "Paths",
  meaning: (parts: readonly string[]) => parts.join("; "),
  encodedSlashes: {
    refuse: "Encoded slashes are refused",
    pass: "Encoded slashes pass unless they lead to another operation",
    data: "Encoded slashes pass",
  },
  semicolons: {
    check: "semicolons are checked",
    pass: "semicolons pass",
  },
  cases: {
    exact: "case-sensitive",
    ignore_case: "case-insensitive",
  },
  overrides: {
    refuse: "method overrides are refused",
    pass: "method overrides pass",
  },
};
