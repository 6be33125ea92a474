// Credentials of applications: API keys, OAuth2 clients, HTTP Basic users. All three kinds support
// the same actions, at separate paths.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { text } from "../../text/text";
import { type Answered, client, content } from "../client";
import { Problem } from "../problem";
import { thenRefetch } from "../query_client";
import { impactQuery } from "./impact";

type Schemas = components["schemas"];
export type ApiKey = Schemas["ApiKey"];
export type OAuth2Client = Schemas["Client"];
export type BasicUser = Schemas["BasicUser"];
export type Credential = ApiKey | OAuth2Client | BasicUser;
export type Environment = Schemas["Environment"];
export type Grace = Schemas["Grace"];
export type Allowed = Schemas["Allowed"];
/** Changes that every kind supports. */
export type CredentialPatch = Pick<Schemas["CredentialPatch"], "name" | "expires_at" | "allowed">;
export type NewClientToken = Schemas["NewClientToken"];
export type NewClient = Schemas["NewClient"];
export type ClientPatch = Schemas["ClientPatch"];

const KEY = ["credentials"];
/** More than an application can have active; expired ones are listed too. */
const LIMIT = 500;

const key = (application: string, kind: string) => [...KEY, application, kind];

/** Queries and actions of one kind of credential. */
export interface Credentials<C extends Credential, Wanted> {
  list: (application: string) => ReturnType<typeof listOf<C>>;
  create: (application: string, wanted: Wanted) => Promise<C>;
  change: (id: string, patch: CredentialPatch) => Promise<void>;
  /** Resolves to the credential that has the new secret. */
  rotate: (id: string, grace: Grace) => Promise<C>;
  revoke: (id: string) => Promise<void>;
  /** Query for the impact of a revocation. */
  impactOfRevocation: (id: string) => ReturnType<typeof impactQuery>;
}

function listOf<C>(application: string, kind: string, fetchList: () => Promise<{ items: C[] }>) {
  return queryOptions({
    queryKey: key(application, kind),
    queryFn: async () => (await fetchList()).items,
  });
}

const inList = (application: string) => ({
  path: { application },
  query: { limit: LIMIT, sort: "-created" as const },
});

const done = <T>(change: Promise<T>) => thenRefetch(change, KEY);

/** Like {@link done} for a new secret, which is lost if a gateway has not applied it yet. */
async function made<T>(change: Promise<T>): Promise<T> {
  try {
    return await done(change);
  } catch (error) {
    const problem = Problem.from(error);
    if (!problem.isBehind) throw problem;
    throw Problem.because("secret.lost", text.developer.credentials.secretLost);
  }
}

/** Returns the revocation of a kind and its dry run, made by the same request. */
function ending<T>(request: (id: string, dryRun: boolean) => Promise<Answered<T>>) {
  return {
    revoke: async (id: string) => {
      await done(content(request(id, false)));
    },
    impactOfRevocation: (id: string) => impactQuery(id, "revoke", () => request(id, true)),
  };
}

export const apiKeys: Credentials<ApiKey, Schemas["NewApiKey"]> = {
  list: (application) =>
    listOf(application, "keys", () =>
      content(
        client.GET("/api/v1/applications/{application}/keys", { params: inList(application) }),
      ),
    ),
  create: (application, body) => {
    const params = { path: { application } };
    return made(content(client.POST("/api/v1/applications/{application}/keys", { params, body })));
  },
  change: async (id, body) => {
    const params = { path: { key: id } };
    await done(content(client.PATCH("/api/v1/keys/{key}", { params, body })));
  },
  rotate: (id, grace) => {
    const params = { path: { key: id } };
    return made(content(client.POST("/api/v1/keys/{key}/rotation", { params, body: { grace } })));
  },
  ...ending((key, dry_run) =>
    client.DELETE("/api/v1/keys/{key}", { params: { path: { key }, query: { dry_run } } }),
  ),
};

export const oauth2Clients: Credentials<OAuth2Client, NewClient> = {
  list: (application) =>
    listOf(application, "clients", () =>
      content(
        client.GET("/api/v1/applications/{application}/clients", { params: inList(application) }),
      ),
    ),
  create: (application, body) => {
    const params = { path: { application } };
    return made(
      content(client.POST("/api/v1/applications/{application}/clients", { params, body })),
    );
  },
  change: (id, patch) => changeClient(id, patch),
  rotate: (id, grace) => {
    const params = { path: { client: id } };
    return made(
      content(client.POST("/api/v1/clients/{client}/rotation", { params, body: { grace } })),
    );
  },
  ...ending((id, dry_run) => {
    const params = { path: { client: id }, query: { dry_run } };
    return client.DELETE("/api/v1/clients/{client}", { params });
  }),
};

export const basicUsers: Credentials<BasicUser, Schemas["NewBasicUser"]> = {
  list: (application) =>
    listOf(application, "basic-users", () =>
      content(
        client.GET("/api/v1/applications/{application}/basic-users", {
          params: inList(application),
        }),
      ),
    ),
  create: (application, body) => {
    const params = { path: { application } };
    return made(
      content(client.POST("/api/v1/applications/{application}/basic-users", { params, body })),
    );
  },
  change: async (id, body) => {
    const params = { path: { basic_user: id } };
    await done(content(client.PATCH("/api/v1/basic-users/{basic_user}", { params, body })));
  },
  rotate: (id, grace) => {
    const params = { path: { basic_user: id } };
    return made(
      content(
        client.POST("/api/v1/basic-users/{basic_user}/rotation", { params, body: { grace } }),
      ),
    );
  },
  ...ending((basic_user, dry_run) => {
    const params = { path: { basic_user }, query: { dry_run } };
    return client.DELETE("/api/v1/basic-users/{basic_user}", { params });
  }),
};

/** Changes a client, including what only clients have: scopes, tokens, keys. */
export async function changeClient(id: string, body: ClientPatch): Promise<void> {
  const params = { path: { client: id } };
  await done(content(client.PATCH("/api/v1/clients/{client}", { params, body })));
}

/** Invalidates all tokens of a client. */
export async function voidClientTokens(id: string): Promise<void> {
  const params = { path: { client: id } };
  await done(content(client.DELETE("/api/v1/clients/{client}/tokens", { params })));
}
