// Set-up of try-it flows: a developer with an application, and APIs over a back end with odd
// responses.

import { afterAll, beforeAll } from "vitest";
import { published } from "./apis";
import { type OddBackEnd, startOddBackEnd } from "./odd_upstream";
import { asItIs, change, created, done, move } from "./seed";
import { wsdlOf } from "./soap_service";
import { type Stage, stage, startKeyManager } from "./stage";
import type { Api, Person } from "./tollgate";
import type { BackEnd } from "./upstream";

export class Trying {
  stage!: Stage;
  odd!: OddBackEnd;
  petra!: Person;
  dora!: Person;
  application = "";

  /** Creates an API with `GET` of these paths, and subscribes the application to it. */
  async api(name: string, paths: readonly string[], draft: object = {}, plan = "unlimited") {
    const operations = paths.map((path) => ({ method: "GET", path }));
    const plans = [plan];
    const wanted = { name, upstream: this.odd.url, plans, draft: { operations, ...draft } };
    const made = await published(this.petra.api, wanted);
    return { ...made, subscription: await this.subscribe(made.version, plan) };
  }

  /** Creates an API from a document, as an object or as YAML. */
  async described(
    name: string,
    document: object | string,
  ): Promise<{ version: string; path: string }> {
    const { api } = this.petra;
    const context = `/${name.toLowerCase()}`;
    const made = created(
      await done(
        api.POST("/api/v1/apis/import", {
          params: { query: { name, context, version: "1.0" } },
          body: typeof document === "string" ? document : JSON.stringify(document),
          ...asItIs(typeof document === "string" ? "application/yaml" : "application/json"),
        }),
      ),
    );
    const version = versionOf(made);
    await this.publish(version, this.odd.url);
    return { version, path: `${context}/1.0` };
  }

  /** Publishes the shop of a SOAP service, as SOAP or as REST. */
  async shop(service: BackEnd, name: string, kind: "soap" | "soap_to_rest"): Promise<string> {
    const query = { name, context: `/${name.toLowerCase()}`, version: "1.0", kind };
    const params = { query };
    const body = { url: wsdlOf(service) };
    const path = "/api/v1/apis/import/wsdl";
    const version = versionOf(await done(this.petra.api.POST(path, { params, body })));
    await this.publish(version, `${service.url}/shop`);
    return version;
  }

  async publish(version: string, upstream: string): Promise<void> {
    const { api } = this.petra;
    const params = { path: { version } };
    await change(api, version, { upstream: { url: upstream } });
    await done(api.PUT("/api/v1/versions/{version}/plans", { params, body: ["unlimited"] }));
    await move(api, version, "published");
    await this.subscribe(version, "unlimited");
  }

  async subscribe(version: string, plan: string): Promise<string> {
    const body = { application: this.application, version, plan };
    return (await done(this.dora.api.POST("/api/v1/subscriptions", { body }))).id;
  }

  async block(api: Api, subscription: string, status: "active" | "blocked"): Promise<void> {
    const params = { path: { subscription } };
    const patch = api.PATCH("/api/v1/subscriptions/{subscription}", { params, body: { status } });
    await done(patch);
  }
}

/** Returns the version that an import created; a dry run creates none. */
function versionOf(made: object): string {
  const { version } = made as { version?: { id: string } };
  if (version === undefined) throw new Error("the import was a dry run");
  return version.id;
}

/** Sets the stage with a key manager, and allows fetching documents from loopback. */
export function trying(): Trying {
  const it = new Trying();
  it.stage = stage(() => startKeyManager("--control-fetch-allowed=127.0.0.1"));
  beforeAll(async () => {
    const { tollgate } = it.stage;
    it.odd = await startOddBackEnd();
    it.petra = await tollgate.person("petra", "publisher");
    it.dora = await tollgate.person("dora", "developer");
    const body = { name: "Shop", description: "" };
    it.application = (await done(it.dora.api.POST("/api/v1/applications", { body }))).id;
  });
  afterAll(() => it.odd.stop());
  return it;
}
