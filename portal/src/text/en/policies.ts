// Texts of a version's policies: the lists of steps, and the policies with the meaning of each
// field. Those of the dry run are in `dry_run.ts`, those of CORS in `cors.ts`.

import { corsWords } from "./cors";
import { dryRunWords } from "./dry_run";

const mode = {
  label: "If it exists",
  choices: { replace: "Replace it", append: "Add a second one", if_absent: "Keep it" },
};
const otherType = {
  label: "Other content types",
  choices: { refuse: "Refuse the message", pass: "Pass unchanged" },
  unset: "Refuse requests, pass responses",
};
const bytesMax = {
  label: "Maximum body size, bytes",
  hint: "After decompression; at most 10485760",
};

const words = {
  set_header: {
    label: "Set header",
    meaning: "Sets a header. A value that is null or contains a line break is not set.",
    fields: {
      name: { label: "Name", example: "x-plan" },
      value: { label: "Value", example: "{{ caller.plan }}" },
      mode,
    },
  },
  remove_header: {
    label: "Remove headers",
    meaning: "Removes headers, except those that no step may change.",
    fields: {
      names: {
        label: "Names",
        hint: "One per line; x-internal-* matches all that begin with x-internal-",
      },
    },
  },
  rename_header: {
    label: "Rename header",
    meaning: "Renames a header. It replaces headers that already have the new name.",
    fields: { from: { label: "Current name" }, to: { label: "New name" } },
  },
  rewrite_location: {
    label: "Rewrite Location",
    meaning: "Replaces the upstream's address in Location with the version's path at the gateway.",
    fields: { content_location: { label: "Also in Content-Location" } },
  },
  set_query: {
    label: "Set query parameter",
    meaning: "Sets a query parameter. A value that is null is not set.",
    fields: {
      name: { label: "Name", hint: "Without percent-encoding" },
      value: { label: "Value", hint: "Without percent-encoding, which the gateway adds" },
      mode,
    },
  },
  remove_query: {
    label: "Remove query parameters",
    meaning: "Removes query parameters.",
    fields: {
      names: {
        label: "Names",
        hint: "One per line, without percent-encoding; utm_* matches all that begin with utm_",
      },
    },
  },
  rewrite_path: {
    label: "Rewrite path",
    meaning: "Replaces the path below the upstream's base path. The query is kept.",
    fields: {
      path: {
        label: "Path",
        example: "/v2/pets/{{ path.pet }}",
        hint: "Each {{ }} is percent-encoded, and adds no segments",
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
      "Replaces the body with JSON. A string that is only one {{ }} becomes its value, of any type.",
    fields: {
      template: {
        label: "Template",
        example: '{"order": {"id": "{{ body.id }}"}}',
        hint: 'JSON; {"$each": "body.items", "$as": "x", "$do": …} maps an array',
      },
      missing: {
        label: "Missing values",
        choices: { drop: "Omit the member", null: "Write null", refuse: "Refuse the message" },
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  json_edit: {
    label: "Edit JSON",
    meaning: "Changes values in a JSON body. All other bytes are kept.",
    fields: {
      edits: { label: "Edits", hint: "Applied in this order; paths such as $.a.b or $..b" },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  mask: {
    label: "Mask values",
    meaning: "Masks values in a JSON body. All other bytes are kept.",
    fields: {
      paths: { label: "Paths", example: "$.card\n$..iban", hint: "One per line" },
      with: {
        label: "Mask with",
        choices: {
          remove: "Nothing: remove the value",
          null: "null",
          "***": "***",
          last4: "*** and the last 4 characters",
        },
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  replace_text: {
    label: "Replace text",
    meaning: "Replaces literal text in a text, JSON or XML body.",
    fields: {
      pairs: {
        label: "Replacements",
        hint: "Where several match, the first one applies; replaced text is not searched again",
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
        label: "Item element",
        hint: "For the items of nested and top-level arrays",
      },
      attributes: {
        label: "Attribute prefix",
        hint: "Members with this prefix become attributes; if empty, none do",
      },
      text: { label: "Text member", hint: "The member that becomes the text of its element" },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  xml_to_json: {
    label: "XML to JSON",
    meaning:
      "Converts an XML body to JSON. All values are strings; repeated elements become arrays.",
    fields: {
      arrays: {
        label: "Always arrays",
        example: "orders/order",
        hint: "Paths of elements below the root, one per line",
      },
      attributes: {
        label: "Attribute prefix",
        hint: "Of the members for attributes; if empty, attributes are omitted",
      },
      text: {
        label: "Text member",
        hint: "For the text of an element with attributes or child elements",
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  threat_protection: {
    label: "Limit JSON",
    meaning: "Rejects requests that exceed these limits or match a forbidden pattern.",
    fields: {
      depth: { label: "Nesting depth", hint: "Of arrays and objects; at most 64" },
      members: { label: "Members per object" },
      items: { label: "Items per array" },
      key_bytes: { label: "Bytes per member name" },
      string_bytes: { label: "Bytes per string" },
      patterns: {
        label: "Forbidden patterns",
        example: "(?i)<script",
        hint: "Regular expressions, one per line, at most 16; for names, strings and the query",
      },
      other_type: otherType,
      bytes_max: bytesMax,
    },
  },
  compress: {
    label: "Compress",
    meaning: "Compresses the body with gzip, for callers that accept it.",
    fields: {
      min_bytes: { label: "Minimum size, bytes" },
      bytes_max: { label: "Maximum size, bytes", hint: "Larger bodies are not compressed" },
    },
  },
  respond: {
    label: "Respond",
    meaning: "Sends this response. Later steps do not run, and the upstream is not called.",
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
    meaning: "Sends an example from the version's document.",
    fields: {
      status: { label: "Status", hint: "Of a response in the document" },
      example: { label: "Example", hint: "Its name; if empty, the first" },
    },
  },
  set_status: {
    label: "Set status",
    meaning: "Replaces the status.",
    fields: { status: { label: "Status", hint: "200 to 599, except 204, 205 and 304" } },
  },
  let: {
    label: "Set variable",
    meaning: "Stores the value of an expression for later steps.",
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
  note: "They run in this order. Changes take effect when deployed.",
  steps,
  places: {
    label: "Lists of steps",
    request: "Requests",
    response: "Responses",
    error: "Refusals",
  },
  meanings: {
    request: "Run before the upstream is called.",
    response: "Run after the upstream has responded.",
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
  rare: "Limits and content types",
  drag: "Drag to move",
  up: "Move up",
  down: "Move down",
  duplicate: "Duplicate",
  remove: "Remove",
  actionOn: (action: string, number: number, label: string) => `${action} step ${number}, ${label}`,
  keys: "Alt+↑ and Alt+↓ move the step that has the focus.",
  moved: (label: string, number: number, count: number) => `${label}: step ${number} of ${count}`,
  removed: (number: number, label: string) => `Removed step ${number}, ${label}.`,
  undo: "Undo",
  foldAll: "Fold all",
  unfoldAll: "Unfold all",
  fromBytes: (bytes: string) => `from ${bytes} bytes`,
  missing: "a value is required",
  notJson: "this is not JSON",
  notJsonAt: (line: number, column: number) => `Not JSON at line ${line}, column ${column}`,
  inJson: (pointer: string, fault: string) => `${pointer}: ${fault}`,
  inLine: (line: number, fault: string) => `Line ${line}: ${fault}`,
  notes: {
    title: (n: number) => (n === 1 ? "Saved, with 1 note" : `Saved, with ${n} notes`),
  },
  faults: {
    at: (place: string, number: number, label: string) => `${place}, step ${number}, ${label}`,
    of: (operations: string, where: string) => `${operations}: ${where}`,
    operations: "Steps of operations",
    cache: "Cache",
    other: "Policies",
  },
  pairs: {
    name: "Name",
    value: "Value",
    from: "Text",
    to: "Replacement",
    addName: "Add header",
    addPair: "Add replacement",
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
    cacheOnly: "these operations have no steps, only a cache",
    title: "Steps for some operations",
    search: "Search operations",
    choices: "Operations",
    noHit: "No matching operations.",
    cut: (n: string) => `${n} more match. Search to narrow the list.`,
    confirm: "Choose",
    none: "choose at least one",
    mode: "Steps for all operations",
    modes: {
      append: {
        label: "Run too",
        detail: "Before the steps below for requests, after them for responses and refusals",
      },
      replace: { label: "Do not run", detail: "Only these steps run" },
    },
  },
  aside: {
    title: "Steps of removed operations",
    note: "They have no effect until a document has these operations again.",
    remove: "Remove",
    removeOf: (operation: string) => `Remove the steps of ${operation}`,
  },
  names: {
    title: "What expressions can read",
    lead: "Expressions are a subset of CEL. They never fail: a field that is missing has no value, and a condition without a value is false. In templates, write them as {{ expression }}.",
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
