// Texts of CORS of a version.

export const corsWords = {
  title: "Calls from browsers",
  note: "CORS: the web pages of other origins that may call the version and read its responses",
  isOn: "Pages of other origins may call",
  isOnHint:
    "The gateway answers their preflights. Without it only the portal's pages may call, and the upstream answers preflights of all others.",
  origins: "Origins",
  originsHint: "One per line, such as https://shop.example; or only * for all",
  portal: "Pages of the portal",
  portalHint: "For try-it",
  methods: "Methods",
  ofOperations: "Those of the operations",
  onlyThese: "Only these",
  methodsThat: "Pages may use",
  headers: "Request headers",
  ofDocument: "Those of the document and of credentials",
  headersThat: "Pages may send",
  onePerLine: "One per line",
  expose: "Response headers",
  exposeHint: "That pages may read, one per line; RateLimit, Retry-After and X-Request-Id always",
  credentials: "Cookies and other credentials of the browser",
  allowed: "Allowed",
  credentialsHint: "Not with *",
  maxAge: "Preflight cache, seconds",
  maxAgeHint: "At most a day: 86400",
};
