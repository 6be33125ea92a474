// Texts of a version's policies: the lists of steps, and the policies with the meaning of each
// field. Those of the dry run are in `dry_run.ts`, those of CORS in `cors.ts`.

import { corsWords } from "./cors";
import { dryRunWords } from "./dry_run";

const mode = {
  label: "If it exists",
  choices: { replace: "Replace it", append: "Add another", if_absent: "Keep it" },
};
const otherType = {
  label: "A body of another type",
  choices: { refuse: "Refuse the message", pass: "Pass it unchanged" },
  unset: "Refuse requests, pass responses",
};
const bytesMax = { label: "Maximum bytes", hint: "Of the decoded body; at most 10485760" };

const words = {
  set_header: {
    label: "Set header",
    meaning: "Sets a header field. A value that is null, or has a line end, is not set.",
    fields: {
      name: { label: "Name", example: "x-plan" },
      value: { label: "Value", example: "{{ caller.plan }}" },
      mode,
    },
  },
  remove_header: {
    label: "Remove headers",
    meaning: "Removes header fields. Fields that no step may change stay.",
    fields: {
      names: { label: "Names", hint: "One per line; * at the end matches any rest" },
    },
  },
  rename_header: {
    label: "Rename header",
    meaning: "Renames a header field, and replaces those that have the new name.",
    fields: { from: { label: "Present name" }, to: { label: "New name" } },
  },
  rewrite_location: {
    label: "Rewrite Location",
    meaning: "Replaces the upstream's address in Location by the version's path at the gateway.",
    fields: { content_location: { label: "Also in Content-Location" } },
  },
  set_query: {
    label: "Set query parameter",
    meaning: "Sets a query parameter. A value that is null is not set.",
    fields: {
      name: { label: "Name", hint: "Decoded" },
      value: { label: "Value", hint: "Decoded; the gateway encodes it" },
      mode,
    },
  },
  remove_query: {
    label: "Remove query parameters",
    meaning: "Removes query parameters.",
    fields: {
      names: { label: "Names", hint: "One per line, decoded; * at the end matches any rest" },
    },
  },
  rewrite_path: {
    label: "Rewrite path",
    meaning: "Replaces the path below the upstream's base path. The query stays.",
    fields: {
      path: {
        label: "Path",
        example: "/v2/pets/{{ path.pet }}",
        hint: "Each hole is part of one segment, and encoded",
      },
    },
  },
  set_method: {
    label: "Set method",
    meaning: "Replaces the method.",
    fields: { method: { label: "Method" } },
  },
  json_template: {
    label: "JSON template",
    meaning:
      "Replaces the body by JSON with holes. A text that is one hole becomes its value, with all digits.",
    fields: {
      template: {
        label: "Template",
        example: '{"order": {"id": "{{ body.id }}"}}',
        hint: 'JSON. {"$each": "body.items", "$as": "x", "$do": …} maps an array.',
      },
      missing: {
        label: "A value that is missing",
        choices: { drop: "Leave its member out", null: "Write null", refuse: "Refuse the message" },
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  json_edit: {
    label: "Edit JSON",
    meaning: "Changes values of a JSON body. All other bytes stay.",
    fields: {
      edits: { label: "Edits", hint: "In this order; paths as $.a.b or $..b" },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  mask: {
    label: "Mask values",
    meaning: "Hides values of a JSON body. All other bytes stay.",
    fields: {
      paths: { label: "Paths", example: "$.card\n$..iban", hint: "One per line" },
      with: {
        label: "A value becomes",
        choices: {
          remove: "Nothing: it is removed",
          null: "null",
          "***": "***",
          last4: "Its last 4 characters",
        },
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  replace_text: {
    label: "Replace text",
    meaning: "Replaces literal texts of a body that is text, JSON or XML.",
    fields: {
      pairs: {
        label: "Texts",
        hint: "At each place the first that matches is replaced; replacements are not searched",
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  json_to_xml: {
    label: "JSON to XML",
    meaning: "Converts a JSON body to XML 1.0.",
    fields: {
      root: { label: "Root element" },
      item: {
        label: "Elements of nested arrays",
        hint: "Name for arrays in an array, or at the top",
      },
      attributes: {
        label: "Attributes begin with",
        hint: "Members with such names; if empty, none",
      },
      text: { label: "Text member", hint: "The member that becomes the text of its element" },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  xml_to_json: {
    label: "XML to JSON",
    meaning: "Converts an XML body to JSON. All values are texts; repeated elements are arrays.",
    fields: {
      arrays: {
        label: "Always arrays",
        example: "orders/order",
        hint: "Paths of elements below the root, one per line",
      },
      attributes: {
        label: "Attributes begin with",
        hint: "In names of members; if empty, attributes are left out",
      },
      text: {
        label: "Text member",
        hint: "For the text of an element with attributes or elements",
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  threat_protection: {
    label: "Limit JSON",
    meaning: "Rejects requests with a JSON body beyond these bounds, or with a forbidden text.",
    fields: {
      depth: { label: "Depth", hint: "Of nested arrays and objects; at most 64" },
      members: { label: "Members of an object" },
      items: { label: "Items of an array" },
      key_bytes: { label: "Bytes of a name" },
      string_bytes: { label: "Bytes of a text" },
      patterns: {
        label: "Forbidden texts",
        example: "(?i)<script",
        hint: "Regular expressions, one per line, at most 16; for names, texts and the query",
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  compress: {
    label: "Compress",
    meaning: "Compresses the body with gzip, for callers that accept it.",
    fields: {
      min_bytes: { label: "From, bytes" },
      bytes_max: { label: "Up to, bytes", hint: "Larger bodies stay as they are" },
    },
  },
  respond: {
    label: "Respond",
    meaning: "Responds. No later step runs, and the upstream is not called.",
    fields: {
      status: { label: "Status", hint: "200 to 599" },
      content_type: {
        label: "Content type",
        example: "application/json",
        hint: "Required if there is a body",
      },
      body: { label: "Body", hint: "Values are escaped for JSON or XML" },
      headers: { label: "Headers" },
    },
  },
  mock: {
    label: "Mock",
    meaning: "Responds with an example of the operation's document.",
    fields: {
      status: { label: "Status", hint: "Of the response in the document" },
      example: { label: "Example", hint: "Its name; if empty, the first" },
    },
  },
  set_status: {
    label: "Set status",
    meaning: "Replaces the status.",
    fields: { status: { label: "Status", hint: "200 to 599, of a response with a body" } },
  },
  let: {
    label: "Set variable",
    meaning: "Keeps the value of an expression for later steps.",
    fields: {
      name: { label: "Name", hint: "Later steps read it as var.name" },
      value: { label: "Value", example: "body.total > 100" },
    },
  },
};

/** Texts of a field. */
export interface FieldWords {
  label: string;
  hint?: string;
  example?: string;
  choices?: Readonly<Record<string, string>>;
  /** The choice of no value. */
  unset?: string;
}

export interface PolicyTexts {
  label: string;
  meaning: string;
  fields: Readonly<Record<string, FieldWords>>;
}

const steps = (n: number) => (n === 1 ? "1 step" : `${n} steps`);

export const policyWords = {
  of: words as Readonly<Record<keyof typeof words, PolicyTexts>>,
  title: "Steps",
  note: "They shape messages, in this order. Changes take effect when deployed.",
  steps,
  places: {
    label: "Lists of steps",
    request: "Requests",
    response: "Responses",
    error: "Refusals",
  },
  meanings: {
    request: "Run before the upstream is called.",
    response: "Run when the upstream has responded.",
    error: "Run on the gateway's own refusals, such as 401 and 429.",
  },
  empty: "No steps: messages pass unchanged.",
  groups: {
    headers: "Headers",
    target: "Query and path",
    body: "Body",
    respond: "Respond",
    values: "Values",
  },
  add: "Add step",
  tooMany: "at most 64 steps",
  step: (number: number, label: string) => `Step ${number}: ${label}`,
  condition: {
    label: "Only if",
    hint: "An expression; if empty, the step always runs",
    example: 'caller.plan == "trial"',
    short: "if",
  },
  rare: "Bounds and other types",
  drag: "Drag to move",
  up: "Move up",
  down: "Move down",
  duplicate: "Duplicate",
  remove: "Remove",
  actionOn: (action: string, number: number, label: string) => `${action} step ${number}, ${label}`,
  keys: "Alt+↑ and Alt+↓ move the step that has the focus.",
  moved: (label: string, number: number, count: number) => `${label}: step ${number} of ${count}`,
  removed: (number: number, label: string) => `Step ${number}, ${label}, is removed.`,
  undo: "Undo",
  foldAll: "Fold all",
  unfoldAll: "Unfold all",
  fromBytes: (bytes: string) => `from ${bytes} bytes`,
  missing: "a value is required",
  notJson: "this is not JSON",
  notJsonAt: (line: number, column: number) => `Not JSON at line ${line}, column ${column}`,
  inLine: (line: number, fault: string) => `Line ${line}: ${fault}`,
  faults: {
    title: (n: number) => (n === 1 ? "1 fault" : `${n} faults`),
    at: (place: string, number: number, label: string) => `${place}, step ${number}, ${label}`,
    of: (operations: string, where: string) => `${operations}: ${where}`,
    operations: "Steps of operations",
    other: "Policies",
  },
  pairs: {
    name: "Name",
    value: "Value",
    from: "Text",
    to: "Becomes",
    addName: "Add header",
    addPair: "Add text",
    remove: (number: number) => `Remove line ${number}`,
  },
  edits: {
    kind: "Edit",
    kinds: { set: "Set", remove: "Remove", rename: "Rename" },
    path: "Path",
    value: "Value",
    to: "New name",
    valueHint: "An expression",
    add: "Add edit",
  },
  scope: {
    label: "Steps for",
    all: "All operations",
    choice: (operation: string, more: number) =>
      more === 0 ? operation : `${operation} and ${more} more`,
    add: "Steps for some operations…",
    edit: "Operations…",
    remove: "Remove these steps",
    title: "Steps for some operations",
    search: "Search operations",
    choices: "Operations",
    taken: "Has steps already",
    noHit: "No matching operations.",
    cut: (n: string) => `${n} more match. Search to narrow the list.`,
    confirm: "Choose",
    none: "choose at least one",
    mode: "Steps for all operations",
    modes: {
      append: {
        label: "Run too",
        detail: "Before these for requests, after these for responses and refusals",
      },
      replace: { label: "Do not run", detail: "Only these steps run" },
    },
  },
  aside: {
    title: "Steps of removed operations",
    note: "They have no effect, and return with a document that has the operations again.",
    remove: "Remove",
    removeOf: (operation: string) => `Remove the steps of ${operation}`,
  },
  names: {
    title: "What expressions can read",
    lead: "Expressions are a part of CEL. They never fail: what is missing has no value, and a condition without a value is false. Templates have expressions in {{ }}.",
    reference: "The complete reference is in docs/reference/expressions.md.",
    list: [
      ["request", 'request.method, request.path, request.query["q"], request.headers["x"]'],
      ["", "request.id, request.address, path.id, now"],
      ["response", 'response.status, response.headers["x"]'],
      ["body", "body.items[0].price"],
      ["caller", "caller.application, caller.subscription, caller.plan, caller.environment"],
      ["", "caller.claims.sub"],
      ["api", "api.name, api.version, api.operation"],
      ["error", "error.code, error.status, error.detail"],
      ["var", "var.x"],
    ] as readonly (readonly [string, string])[],
    functions:
      "has size startsWith endsWith contains matches lowerAscii upperAscii string int double bool orValue base64 urlEncode",
  },
  dryRun: dryRunWords,
  cors: corsWords,
};
