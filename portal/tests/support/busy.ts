// A busy installation, for screenshots and measurements: twelve APIs, five applications, thirty
// days of calls.

import { execFileSync } from "node:child_process";
import type { components } from "../../src/api/schema";
import { type World, callAbout, change, done, makeApi, publish, seed } from "./seed";
import { type Person, type Tollgate, example } from "./tollgate";

type Limit = components["schemas"]["Limit"];
type Status = components["schemas"]["SubscriptionStatus"];

/** Name, purpose, and final state. */
const APIS = [
  ["Payments", "Charge cards and accounts, refund, and hear of it by webhook", "published"],
  ["Customers", "Who buys: addresses, consent, loyalty points", "published"],
  ["Stock", "What is where, and what is on its way", "published"],
  ["Prices", "Prices by market, customer group and day", "published"],
  ["Search", "Full text over articles, with facets", "published"],
  ["Recommendations", "What others bought together with it", "prototyped"],
  [
    "Timetable and platform information of all regional and long-distance trains",
    "Departures, arrivals and disruptions as the operators publish them, within ten seconds of the source",
    "published",
  ],
] as const;

const APPLICATIONS = [
  ["Mobile app", "iOS and Android"],
  ["Nordwind Logistics", "A partner: reads orders, writes parcels"],
  ["Data lake", ""],
] as const;

/** A plan with limits of many kinds. */
const PARTNER: components["schemas"]["NewPlan"] = {
  name: "partner",
  title: "Partner",
  description: "For partners under contract",
  count_failures: false,
  limits: [
    {
      per: "subscription",
      amount: 5_000,
      window: "minute",
      algorithm: { type: "gcra", burst: 1_000 },
    },
    {
      per: "subscription",
      amount: 1_000_000,
      window: "month",
      algorithm: { type: "fixed", zone: "Europe/Berlin", anchor: "2026-01-15" },
      soft: { overage_percent: 10 },
    },
    { per: "subscription", metric: "concurrent", amount: 20 },
    { per: "application", metric: "bytes_out", amount: 50_000_000_000, window: "day" },
    { per: ["subscription", "operation"], metric: "units", amount: 600, window: "5 minutes" },
    {
      per: "address",
      amount: 2_000,
      window: "hour",
      algorithm: { type: "rolling" },
      if: { addresses: { not: ["10.0.0.0/8"] }, headers: { "x-tier": ["free*"] } },
    },
    { per: "user", amount: 300, window: "minute", on_exceeding: "observe", otherwise: true },
  ],
};

/** Rows for `usage.db`, as read by `crates/analytics/examples/seed_usage.rs`. */
interface Traffic {
  api: string;
  version: string;
  application?: string;
  calls_a_day: number;
  refused: Record<string, number>;
  /** Share of calls that the cache answers. */
  hits?: number;
}

interface Published {
  api: string;
  version: string;
}

/** Creates all data, and restarts the program with its usage. */
export async function seedBusy(tollgate: Tollgate, upstream: string): Promise<World> {
  const world = await seed(tollgate, upstream);
  const apis = await makeApis(world.publisher, upstream);
  const applications = await makeApplications(world.developer, apis);
  world.made.plan = await makePartners(world, applications);
  const { api, version, application } = world.made;
  const orders = { api, version, application, calls_a_day: 2_400 };
  const traffic: Traffic[] = [
    { ...orders, refused: { "admit.subscription": 0.03, "upstream.timeout": 0.002 }, hits: 0.72 },
    {
      api,
      version,
      calls_a_day: 60,
      refused: { "authenticate.missing": 0.6, "authenticate.invalid": 0.4 },
    },
    ...applications.flatMap((application, place) =>
      apis.slice(place, place + 4).map((published, next) => ({
        ...published,
        application,
        calls_a_day: 1_200 / (1 + place + next),
        refused: { "authorize.not_subscribed": 0.004, "route.no_operation": 0.006 },
      })),
    ),
  ];
  await tollgate.halt();
  writeUsage(tollgate, traffic);
  await tollgate.resume();
  await callAbout(tollgate, world.key);
  return world;
}

async function makeApis({ api }: Person, upstream: string): Promise<Published[]> {
  const made: Published[] = [];
  for (const [name, description, state] of APIS) {
    const { version, ...rest } = await makeApi(api, name, description);
    await publish(api, version, upstream, state);
    if (state === "published") made.push({ ...rest, version });
  }
  const last = made.at(-1)?.version ?? "";
  await change(api, last, { body_bytes_max: 1_048_576 });
  return made;
}

async function makeApplications({ api }: Person, apis: readonly Published[]): Promise<string[]> {
  const made: string[] = [];
  for (const [place, [name, description]] of APPLICATIONS.entries()) {
    const { id } = await done(api.POST("/api/v1/applications", { body: { name, description } }));
    made.push(id);
    const params = { path: { application: id } };
    const keys = "/api/v1/applications/{application}/keys";
    await done(api.POST(keys, { params, body: { name: "production" } }));
    for (const { version } of apis.slice(place, place + 4)) {
      const body = { application: id, version, plan: "business" };
      await done(api.POST("/api/v1/subscriptions", { body }));
    }
  }
  return made;
}

/** Offers a plan to the partners of an API, and limits their application; returns the plan. */
async function makePartners(world: World, applications: readonly string[]): Promise<string> {
  const { administrator, publisher, developer, made } = world;
  const { id, name } = await done(administrator.api.POST("/api/v1/plans", { body: PARTNER }));
  const params = { path: { version: made.version } };
  const offered = await done(publisher.api.GET("/api/v1/versions/{version}/plans", { params }));
  const body = [...offered.map((plan) => plan.name), name];
  await done(publisher.api.PUT("/api/v1/versions/{version}/plans", { params, body }));
  const [, partner = ""] = applications;
  const subscription = { application: partner, version: made.version, plan: name };
  await done(developer.api.POST("/api/v1/subscriptions", { body: subscription }));
  const path = { application: partner };
  const limits: Limit[] = [
    { per: "application", amount: 2_000_000, window: "month" },
    { per: "application", metric: "concurrent", amount: 50 },
  ];
  await done(
    administrator.api.PATCH("/api/v1/applications/{application}", {
      params: { path },
      body: { limits },
    }),
  );
  return id;
}

/** Sets the status of one subscription of a version, as its publisher. */
export async function decide({ api }: Person, version: string, status: Status): Promise<void> {
  const query = { version, limit: 1 };
  const { items } = await done(api.GET("/api/v1/subscriptions", { params: { query } }));
  const subscription = items[0]?.id ?? "";
  const params = { path: { subscription } };
  await done(api.PATCH("/api/v1/subscriptions/{subscription}", { params, body: { status } }));
}

/** Writes the usage file, which needs the program to be stopped. */
export function writeUsage({ data }: Tollgate, traffic: readonly Traffic[]): void {
  execFileSync(example("seed_usage"), [`${data}/usage.db`], {
    input: JSON.stringify({ days: 30, traffic }),
  });
}
