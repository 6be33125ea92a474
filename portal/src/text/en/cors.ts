// Texts of CORS of a version.

export const corsWords = {
  title: "Calls from browsers",
  note: "CORS: the web pages that may call this version and read its responses",
  isOn: "Allow pages of other origins",
  isOnHint:
    "The gateway answers their preflight requests. If off, only the portal's pages may call, and the upstream answers other preflights.",
  origins: "Origins",
  originsHint: "One per line, such as https://shop.example; or only * for all",
  portal: "Pages of this portal",
  portalHint: "For try-it",
  methods: "Methods",
  ofOperations: "Methods of the operations",
  onlyThese: "Only these",
  methodsThat: "Allowed methods",
  headers: "Request headers",
  ofDocument: "Headers of the document and of credentials",
  headersThat: "Allowed headers",
  onePerLine: "One per line",
  expose: "Response headers",
  exposeHint: "Readable by pages, one per line; RateLimit, Retry-After and X-Request-Id always are",
  credentials: "Browser credentials, such as cookies",
  allowed: "Allowed",
  credentialsHint: "Not with *",
  maxAge: "Preflight cache, seconds",
  maxAgeHint: "At most a day: 86400",
};
