// A small realistic data set for tests, created through the HTTP API.

import type { components } from "../../src/api/schema";
import type { Listed, Made } from "../pages";
import { CALCULATOR, ORDERS } from "./documents";
import type { Api, Person, Tollgate } from "./tollgate";

type NewPlan = components["schemas"]["NewPlan"];
type State = "published" | "prototyped" | "blocked" | "deprecated";

export interface World {
  made: Made;
  administrator: Person;
  publisher: Person;
  developer: Person;
  /** A production key of the application. */
  key: string;
}

/** Returns the content of a response; throws if it is a problem. */
export async function done<T>(
  answered: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answered;
  if (!response.ok) throw new Error(`${response.url}: ${JSON.stringify(error)}`);
  return data as T;
}

type Created = components["schemas"]["CreatedApi"];

/** Returns the API that an import created; throws for a preview. */
export function created(imported: object): Created {
  if (!("version" in imported)) throw new Error("the import was a preview");
  return imported as Created;
}

/** Plans, besides those of every installation, such as `unlimited`. */
const PLANS: readonly NewPlan[] = [
  {
    name: "trial",
    title: "Trial",
    description: "To try it out",
    limits: [{ per: "subscription", amount: 20, window: "minute" }],
  },
  {
    name: "business",
    title: "Business",
    description: "For production",
    limits: [{ per: "subscription", amount: 100_000, window: "day" }],
  },
];

/** Creates the plans; returns the id of one. */
export async function makePlans({ api }: Person): Promise<string> {
  let plan = "";
  for (const body of PLANS) plan = (await done(api.POST("/api/v1/plans", { body }))).id;
  return plan;
}

/** Sets the upstream and all plans of a version, and publishes it. */
export async function publish(
  api: Api,
  version: string,
  upstream: string,
  to: State = "published",
): Promise<void> {
  const params = { path: { version } };
  await change(api, version, { upstream: { url: upstream } });
  const body = [...PLANS.map(({ name }) => name), "unlimited"];
  await done(api.PUT("/api/v1/versions/{version}/plans", { params, body }));
  await move(api, version, to);
}

/** Moves a version to another state. */
export async function move(api: Api, version: string, to: State, note = ""): Promise<void> {
  const params = { path: { version } };
  // Not every stage has a key manager.
  const body = { to, note, without_tokens: to === "published" };
  await done(api.POST("/api/v1/versions/{version}/lifecycle", { params, body }));
}

const DAY_MS = 86_400_000;

/** Publishes a second version of an API, and deprecates the first; returns the second. */
async function supersede(api: Api, { api: id, version }: { api: string; version: string }) {
  const params = { path: { api: id } };
  const body = { name: "2.0", from: version };
  const made = await done(api.POST("/api/v1/apis/{api}/versions", { params, body }));
  const sunset = new Date(Date.now() + 42 * DAY_MS).toISOString();
  const text = "2.0 reports each scan, not only the last one.";
  const move = {
    to: "published" as const,
    without_tokens: true,
    deprecate: { versions: [version], sunset, text },
  };
  const path = { path: { version: made.id } };
  await done(api.POST("/api/v1/versions/{version}/lifecycle", { params: path, body: move }));
  return made.id;
}

/** Deploys a version with a change. */
async function revise(api: Api, version: string, draft: object): Promise<void> {
  await change(api, version, draft);
  const params = { path: { version } };
  const revisions = "/api/v1/versions/{version}/revisions" as const;
  const { number } = await done(api.POST(revisions, { params, body: {} }));
  const body = { revision: number };
  await done(api.PUT("/api/v1/versions/{version}/deployment", { params, body }));
}

/** Changes a version's draft. */
export async function change(api: Api, version: string, draft: object): Promise<void> {
  const params = { path: { version } };
  // The API document describes a merge patch only as an object.
  const body = draft as Record<string, never>;
  await done(api.PATCH("/api/v1/versions/{version}/draft", { params, body }));
}

/** Request options to send a document unchanged. */
export const asItIs = (type: string) => ({
  headers: { "content-type": type },
  bodySerializer: (body: unknown) => body as string,
});

export async function importOrders(api: Api): Promise<{ api: string; version: string }> {
  const made = created(
    await done(
      api.POST("/api/v1/apis/import", {
        params: { query: { name: "Orders", context: "/orders", version: "1.0" } },
        body: ORDERS,
        ...asItIs("application/yaml"),
      }),
    ),
  );
  return { api: made.api.id, version: made.version.id };
}

async function importCalculator(api: Api): Promise<{ api: string; version: string }> {
  const made = created(
    await done(
      api.POST("/api/v1/apis/import/wsdl", {
        params: { query: { name: "Calculator", context: "/calculator", version: "1.0" } },
        body: CALCULATOR,
        ...asItIs("text/xml"),
      }),
    ),
  );
  return { api: made.api.id, version: made.version.id };
}

/** Creates an API without a document, with one operation and a draft. */
export async function makeApi(
  api: Api,
  name: string,
  description: string,
): Promise<{ api: string; version: string }> {
  const body = {
    name,
    description,
    context: `/${name.toLowerCase().split(" ")[0]}`,
    version: "1.0",
  };
  const made = await done(api.POST("/api/v1/apis", { body }));
  const operations = [{ method: "GET", path: "/", summary: `All ${name.toLowerCase()}` }];
  await change(api, made.version.id, { operations });
  return { api: made.api.id, version: made.version.id };
}

/** Creates an application with keys, a client, a user and subscriptions. */
async function makeApplication(api: Api, versions: readonly string[]) {
  const description = "What customers see: baskets, orders, parcels";
  const { id } = await done(
    api.POST("/api/v1/applications", { body: { name: "Shop front", description } }),
  );
  const params = { path: { application: id } };
  for (const version of versions) {
    const body = {
      application: id,
      version,
      plan: version === versions.at(-1) ? "trial" : "business",
    };
    await done(api.POST("/api/v1/subscriptions", { body }));
  }
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(api.POST(keys, { params, body: { name: "production" } }));
  const sandbox = { name: "build server", environment: "sandbox" } as const;
  const allowed = { addresses: ["192.0.2.0/24"], origins: [] };
  await done(api.POST(keys, { params, body: { ...sandbox, allowed } }));
  const client = { name: "shop server" };
  await done(api.POST("/api/v1/applications/{application}/clients", { params, body: client }));
  const user = { user_name: "till", name: "old till" };
  await done(api.POST("/api/v1/applications/{application}/basic-users", { params, body: user }));
  return { application: id, key: key ?? "" };
}

/** Creates all data. */
export async function seed(tollgate: Tollgate, upstream: string): Promise<World> {
  const { administrator } = tollgate;
  const publisher = await tollgate.person("petra", "publisher");
  const developer = await tollgate.person("dora", "developer");
  const users = await done(administrator.api.GET("/api/v1/users"));
  const plan = await makePlans(administrator);

  const orders = await importOrders(publisher.api);
  const calculator = await importCalculator(publisher.api);
  const invoices = await makeApi(publisher.api, "Invoices", "What customers owe, as PDF or data");
  const drafted = await makeApi(publisher.api, "Parcels", "Where parcels are");
  await publish(publisher.api, orders.version, upstream);
  await publish(publisher.api, calculator.version, `${upstream}/soap`);
  await publish(publisher.api, invoices.version, upstream);
  const scopes = { "invoices:write": { text: "Change invoices", granted: "by_approval" } };
  const security = { require: "any", api_key: {}, oauth2: {}, scopes };
  await revise(publisher.api, invoices.version, { body_bytes_max: 1_048_576, security });
  const changed = { url: `${upstream}/broken` };
  const keys = { api_key: { header: "X-Key" } };
  const operations = [
    { method: "GET", path: "/", summary: "All invoices" },
    { method: "GET", path: "/terms", summary: "Terms of payment", anonymous: true },
    {
      method: "POST",
      path: "/invoices",
      summary: "Send an invoice",
      scopes: Object.keys(scopes),
      limits: [{ per: "operation", amount: 600, window: "minute" }],
    },
  ];
  const draft = { upstream: changed, security: keys, operations };
  await change(publisher.api, invoices.version, draft);
  const returns = await makeApi(publisher.api, "Returns", "What comes back, why, and what is paid");
  await publish(publisher.api, returns.version, upstream);
  await move(publisher.api, returns.version, "blocked", "An incident");

  const tracking = await makeApi(publisher.api, "Tracking", "Where a parcel was last scanned");
  await publish(publisher.api, tracking.version, upstream);

  const versions = [tracking.version, orders.version, calculator.version, invoices.version];
  const { application, key } = await makeApplication(developer.api, versions);
  await supersede(publisher.api, tracking);
  const second = { name: "Nightly report" };
  await done(developer.api.POST("/api/v1/applications", { body: second }));
  return {
    administrator,
    publisher,
    developer,
    key,
    made: {
      ...orders,
      operation: "listOrders",
      soapApi: calculator.api,
      soapVersion: calculator.version,
      soapOperation: "Add",
      changedVersion: invoices.version,
      blockedVersion: returns.version,
      deprecatedVersion: tracking.version,
      draftApi: drafted.api,
      draftVersion: drafted.version,
      application,
      plan,
      user: users.items.find(({ name }) => name === developer.name)?.id ?? "",
    },
  };
}

type Inside = "developer" | "publisher" | "administrator";

export interface EmptyWorld extends World {
  /** Selects who opens a page: the owner for pages of an object, a user without data for lists. */
  opener: (row: Listed, role: Inside) => Person;
}

/** Creates users without data, and an empty application and an empty API of other users. */
export async function seedEmpty(tollgate: Tollgate): Promise<EmptyWorld> {
  const { administrator } = tollgate;
  const nothing = {
    administrator,
    developer: await tollgate.person("dana", "developer"),
    publisher: await tollgate.person("paul", "publisher"),
  };
  const publisher = await tollgate.person("petra", "publisher");
  const developer = await tollgate.person("dora", "developer");
  const none = {
    operation: "",
    soapApi: "",
    soapVersion: "",
    soapOperation: "",
    changedVersion: "",
    blockedVersion: "",
    deprecatedVersion: "",
    draftApi: "",
    draftVersion: "",
    plan: "",
    user: "",
  };
  const toCome = { name: "Orders", context: "/orders", version: "1.0" };
  const orders = await done(publisher.api.POST("/api/v1/apis", { body: toCome }));
  const body = { name: "Shop front" };
  const application = await done(developer.api.POST("/api/v1/applications", { body }));
  const made = { administrator, publisher, developer };
  const isOfWhatWasMade = ({ route, at }: Listed) => at !== undefined || route.includes("$");
  return {
    ...made,
    opener: (row, role) => (isOfWhatWasMade(row) ? made : nothing)[role],
    key: "",
    made: { ...none, api: orders.api.id, version: orders.version.id, application: application.id },
  };
}

/** Makes calls with different results, for usage and refusals of the last minute. */
export async function callAbout(tollgate: Tollgate, key: string): Promise<void> {
  const call = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${tollgate.gateway}${path}`, { headers }).then((answer) => answer.arrayBuffer());
  await call("/orders/1.0/orders", { apikey: key });
  for (let count = 0; count < 24; count += 1) await call("/invoices/1.0/", { apikey: key });
  await call("/orders/1.0/orders");
  await call("/orders/1.0/orders", { apikey: "tg_live_nothing" });
  await call("/orders/1.0/nothing", { apikey: key });
}
