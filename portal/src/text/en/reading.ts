// Words of how the back end of a version reads requests.

export const readingWords = {
  title: "How the back end reads a path",
  note: "A call is refused where the back end could find another operation in its path than the gateway did",
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
    label: "Upper and lower case",
    choices: {
      exact: { label: "Different", detail: "/Orders is not /orders." },
      ignore_case: {
        label: "The same",
        detail: "The back end ignores case, so the gateway does too.",
      },
    },
  },
  methodOverride: {
    label: "X-HTTP-Method-Override and its like",
    choices: {
      refuse: {
        label: "Refuse",
        detail: "A call that names another method than its own is refused; others lose the field.",
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
    exact: "case counts",
    ignore_case: "case does not count",
  },
  overrides: {
    refuse: "no field overrides the method",
    pass: "fields that override the method pass",
  },
};
