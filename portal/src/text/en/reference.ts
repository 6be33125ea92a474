// Texts of the reference and of try-it.

interface Bound {
  at: number | undefined;
  isExclusive: boolean;
}

/** Formats a range of counts: `1 to 40 items`, `at least 2 items`, `at most 40 items`. */
function span(
  least: number | undefined,
  most: number | undefined,
  what: string,
): string | undefined {
  if (least !== undefined && least === most) return `exactly ${least} ${what}`;
  if (least !== undefined && least > 0) {
    return most === undefined ? `at least ${least} ${what}` : `${least} to ${most} ${what}`;
  }
  return most === undefined ? undefined : `at most ${most} ${what}`;
}

function range(least: Bound, most: Bound): string | undefined {
  if (least.at === undefined && most.at === undefined) return undefined;
  if (least.at !== undefined && most.at !== undefined && !least.isExclusive && !most.isExclusive) {
    return `${least.at} to ${most.at}`;
  }
  const low =
    least.at === undefined ? [] : [`${least.isExclusive ? "above" : "at least"} ${least.at}`];
  const high =
    most.at === undefined ? [] : [`${most.isExclusive ? "below" : "at most"} ${most.at}`];
  return [...low, ...high].join(", ");
}

const schema = {
  anything: "anything",
  nothing: "nothing",
  unknown: "unknown",
  or: " or ",
  arrayOf: (type: string) => `array of ${type}`,
  anyOther: "any other name",
  alternative: (number: number) => `alternative ${number}`,
  required: "required",
  letters: (least: number | undefined, most: number | undefined) => span(least, most, "characters"),
  items: (least: number | undefined, most: number | undefined) => span(least, most, "items"),
  members: (least: number | undefined, most: number | undefined) => span(least, most, "members"),
  range,
  unique: "each once",
  multipleOf: (step: string) => `a multiple of ${step}`,
  pattern: (pattern: string) => `matches ${pattern}`,
  oneOf: (values: string, more: number) => `one of ${values}${more > 0 ? ` and ${more} more` : ""}`,
  always: (value: string) => `always ${value}`,
  default: (value: string) => `${value} when absent`,
  readOnly: "in responses only",
  writeOnly: "in requests only",
  deprecated: "deprecated",
  formats: {
    date: "a date",
    "date-time": "a date and time",
    time: "a time of day",
    duration: "a duration",
    uuid: "a UUID",
    email: "an email address",
    hostname: "a host name",
    ipv4: "an IPv4 address",
    ipv6: "an IPv6 address",
    uri: "a URL",
    "uri-reference": "a URL or a part of one",
    byte: "in base64",
    binary: "bytes",
    password: "a secret",
    int32: "32 bits",
    int64: "64 bits",
    float: "single precision",
    double: "double precision",
  },
};

const faults = {
  badParameter: "A parameter of this operation is not valid OpenAPI and is left out.",
  badStyle: (style: string, name: string, place: string, usual: string) =>
    `The style ${style} of ${name} does not exist for a ${place} parameter; ${usual} is used.`,
  badStyleOfType: (style: string, name: string, types: readonly string[], usual: string) =>
    `The style ${style} of ${name} does not exist for the type ${types.join(" or ")}; ${usual} is used.`,
  badBody: "The description of the request body is not valid OpenAPI.",
  badAnswer: "The description of this response is not valid OpenAPI.",
  elsewhere: (reference: string) => `${reference} points outside the document and is not followed.`,
  missing: (reference: string) => `${reference} points to nothing in the document.`,
  endless: (reference: string) => `${reference} refers back to itself.`,
};

const causes = {
  mixed_content:
    "This page was loaded over https, and the gateway has only an http address: browsers block such calls. The same call works from a program, or from this page over http.",
  private_network:
    "The gateway is on a private network, which browsers do not let a public page call, or it does not respond.",
  origin:
    "The gateway responds, but does not allow calls from pages at this address. An operator must set control.public_url to the address of the portal.",
  unreachable:
    "The gateway does not respond: it is not running, or something on the network path blocks the call.",
  redirect:
    "The response is a redirect. Browsers do not show redirects to pages, and it is not followed because the credential would be sent along.",
  unsendable:
    "The browser does not send this request: a header, the method or the address contains something that it rejects.",
  cancelled: "Cancelled before a response arrived.",
  timeout: "No response within a minute.",
};

export const referenceWords = {
  title: "Reference",
  schema,
  faults,
  operations: "Operations",
  operationsOf: (count: number) => (count === 1 ? "1 operation" : `${count} operations`),
  search: "Search operations",
  untagged: "Other operations",
  webhooks: "Webhooks",
  skipOperations: "Skip the list of operations",
  place: (at: number, count: number) => `${at} of ${count}`,
  noneFound: "No matching operations.",
  noOperations: "The document has no operations.",
  faultsTitle: (count: number) =>
    count === 1
      ? "A part of the document cannot be shown"
      : `${count} parts of the document cannot be shown`,
  more: (count: number) => `and ${count} more`,
  unknownOperation: "The API has no such operation: it was renamed, or the address is mistyped.",
  firstOperation: "Go to first operation",
  document: "OpenAPI",
  wsdl: "WSDL",
  deprecated: "deprecated",
  soap: {
    title: "Message",
    version: "Version",
    action: "Action",
    mediaType: "Media type",
  },
  webhook: {
    title: "Webhook",
    lead: "The API sends this request to an address that you registered with its provider. It does not pass through the gateway and cannot be tried here.",
  },
  parameters: {
    title: "Parameters",
    places: {
      path: "Path parameters",
      query: "Query parameters",
      header: "Header parameters",
      cookie: "Cookies",
    },
    rest: "rest of the path",
  },
  body: {
    title: "Request body",
    type: "Media type",
    one: "request body",
    optional: "optional",
    isRequired: "required",
  },
  message: {
    schema: "Schema",
    sample: "Sample",
    example: "Example",
    made: "From the schema",
    ofType: (what: string, type: string) => `Sample: ${what}, ${type}`,
    cut: (shown: string, whole: string) => `The first ${shown} of ${whole} characters are shown.`,
    one: (property: string | undefined) => property ?? "One of",
  },
  answers: {
    title: "Responses",
    one: (status: string) => `response ${status}`,
    tabs: "Responses by status",
    refused:
      "The gateway refuses the call: no valid credential, no permission, or an exhausted quota.",
    refusals: "Refusals",
    whatTheyMean: "What the refusals mean",
    default: "Other",
    headers: "Headers",
    links: "Links",
    leadsTo: "links to",
    noBody: "The response has no body.",
    noText: "The document does not describe this response.",
  },
  callbacks: {
    title: "Callbacks",
    lead: "Requests that the API sends to an address given in the call.",
    one: (name: string) => `callback ${name}`,
    answers: (statuses: string) => `Expected responses: ${statuses}`,
  },
  about: {
    title: "About this API",
    contact: "Contact",
    licence: "Licence",
    terms: "Terms of service",
    docs: "Documentation",
  },
  docs: "More in the documentation",
  members: {
    open: (name: string) => `Show or hide what is in ${name}`,
  },
  scopes: (scopes: string) => `Requires the scope ${scopes}.`,
  code: {
    title: "Code sample",
    language: "Language",
    placeholders: (names: readonly string[]) =>
      names.length === 1
        ? `${names[0]} comes from the environment.`
        : `${names.join(" and ")} come from the environment.`,
    files: (names: readonly string[]) =>
      `The code reads ${names.join(", ")} from its working directory.`,
    download: (name: string) => `Download ${name}`,
  },
  tryIt: {
    title: "Try it",
    open: "Try it",
    environment: "Environment",
    application: "As",
    as: (plan: string) => `plan ${plan} · 15-minute credential`,
    optional: (name: string) => `${name} (optional)`,
    noSubscription:
      "Calls are made as one of your applications that is subscribed to this API. You have none yet.",
    visitor:
      "Calls are made as an application that is subscribed to this API. Sign in to use one of yours.",
    notYours: "Only developers can subscribe to APIs of other publishers.",
    getKey: "Get a key",
    withoutKey: "without a credential",
    body: "Body",
    bodyType: "Media type of the body",
    theBody: "The body",
    fileOfType: (type: string) => `Body, ${type}`,
    noBodyByBrowsers: (method: string) =>
      `Browsers send no body with ${method}; the code below has it.`,
    noBodyOfHead: "Bodies of HEAD requests are not sent.",
    notByBrowsers: (method: string) => `Browsers do not send ${method}; the code below does.`,
    largeBody: (size: string) => `The example is ${size} long and is sent unchanged.`,
    edit: "Edit",
    sendAnyway: "Send anyway",
    invalid: (count: number) =>
      count === 1
        ? "One value is not valid according to the document."
        : `${count} values are not valid according to the document.`,
    leftOut: "not sent",
    emptyText: "empty text",
    choose: "Choose a file",
    chooseSome: "Choose files",
    noFile: "none chosen",
    send: "Send",
    fresh: "Ask for a fresh response",
    freshHint: "The upstream is called even if a response is stored",
    cancel: "Cancel",
    waiting: "Waiting for the response",
    received: (bytes: string) => `${bytes} so far`,
    missing: (name: string) => `${name} is required.`,
    unsendablePath: (name: string) =>
      `A browser cannot send “.” or “..” as ${name}: it resolves them as dot segments.`,
    unsendableName: (name: string) =>
      `“${name}” is not a valid header or cookie name, so it is not sent.`,
    unsendableHeader: (name: string) =>
      `The header ${name} can contain only printable ASCII characters.`,
    notSentByBrowsers: (name: string) =>
      `Browsers do not let pages send ${name}; the code below has it.`,
    rest: "The rest of the path; slashes separate its segments.",
    commaSeparated: "Several values: separated by commas, or as JSON",
    asJson: "As JSON",
    badJson: (what: string, line: number, column: number, expected: string) =>
      `${what} is not valid JSON: line ${line}, column ${column}: expected ${expected}.`,
    expected: {
      value: "a value",
      name: "a name in double quotes",
      colon: "a colon",
      commaOrEnd: "a comma or a closing bracket",
      end: "the end of the text",
    },
  },
  answer: {
    head: (time: string, size: string) => `${time} · ${size}`,
    cache: {
      uses: {
        hit: "cache: hit",
        stale: "cache: stale",
        revalidated: "cache: revalidated",
        miss: "cache: miss",
        fresh: "cache: miss",
        bypass: "cache: bypass",
      },
      hit: (age: string, ttl: string) => `from the cache, ${age} old, fresh for another ${ttl}`,
      stale: (age: string) =>
        `from the cache, ${age} old: it has expired, and is sent while the upstream is slow or fails`,
      revalidated: "from the cache: it had expired, and the upstream confirmed it",
      stored: "from the upstream, and stored",
      notStored: "from the upstream, not stored",
      bypass: "from the upstream: the call has a field or a body that the cache does not answer",
    },
    headers: (count: string) => (count === "1" ? "1 header" : `${count} headers`),
    requestId: (id: string) => `x-request-id ${id}`,
    left: (left: string, amount: string, window: string) => `${left} of ${amount} left ${window}`,
    quotaUnits: {
      units: "units",
      "concurrent-requests": "at once",
    },
    leftOnly: (left: string) => `${left} left`,
    windows: {
      1: "this second",
      60: "this minute",
      3600: "this hour",
      86400: "today",
      604800: "this week",
    },
    again: (time: string) => `the next window begins in ${time}`,
    retry: (time: string) => `Try again in ${time}.`,
    cut: (shown: string, whole: string) =>
      `The first ${shown} of ${whole} are shown; the download has the rest.`,
    ends: {
      bound: (bytes: string) => `Reading stopped at ${bytes}: the response is longer or endless.`,
      cancelled: (bytes: string) => `Cancelled after ${bytes}.`,
      broken: (bytes: string) => `The response broke off after ${bytes}.`,
    },
    empty: "The response has no body.",
    binary: (type: string, size: string) => `${type}, ${size}: not shown as text.`,
    unnamedType: "No media type",
    download: "Download",
    body: "Response body",
    refused: "The gateway refused the call",
    fault: "The service returned a fault",
    explain: "What it means",
    noAnswer: "No response",
    causes,
    curl: "The same call as a shell command",
  },
};
