// One press: an application where none was chosen, its subscription where it has none, a
// credential of each kind that is wanted.

import { type Application, createApplication } from "../../api/queries/applications";
import type { CatalogueEntry } from "../../api/queries/catalogue";
import {
  type ApiKey,
  type BasicUser,
  type Environment,
  type OAuth2Client,
  apiKeys,
  basicUsers,
  oauth2Clients,
} from "../../api/queries/credentials";
import { type Subscription, subscribe } from "../../api/queries/subscriptions";
import { text } from "../../text/text";

/** Kinds of credentials. */
export type Way = "key" | "client" | "basic_user";

/** What was chosen. */
export interface Wish {
  /** One of mine; absent for a new one. */
  application: Pick<Application, "id" | "name"> | undefined;
  /** The name of a new one. */
  name: string;
  plan: string;
  environment: Environment;
  ways: readonly Way[];
  userName: string;
}

export interface Obtained {
  application: Pick<Application, "id" | "name">;
  status: Subscription["status"];
  key?: ApiKey;
  client?: OAuth2Client;
  basicUser?: BasicUser;
}

/** The subscription that an application has already. */
export function presentSubscription(entry: CatalogueEntry, application: string | undefined) {
  return entry.mine?.subscriptions.find((it) => it.application === application);
}

/** The kinds of credentials that the version takes. */
export function waysOf({ security }: CatalogueEntry): Way[] {
  const ways: Way[] = [];
  if (security.api_key) ways.push("key");
  if (security.oauth2) ways.push("client");
  if (security.basic) ways.push("basic_user");
  return ways;
}

/** `onApplication` hears of a new application, so that a second attempt does not make another. */
export async function obtain(
  entry: CatalogueEntry,
  wish: Wish,
  onApplication: (made: Application) => void,
): Promise<Obtained> {
  let { application } = wish;
  if (application === undefined) {
    const made = await createApplication({ name: wish.name });
    onApplication(made);
    application = made;
  }
  const wanted = { application: application.id, version: entry.version, plan: wish.plan };
  const { status } = presentSubscription(entry, application.id) ?? (await subscribe(wanted));
  const { environment } = wish;
  const name = text.developer.credentials.firstName(text.nouns.environments[environment]);
  const obtained: Obtained = { application, status };
  for (const way of wish.ways) {
    if (way === "key") {
      obtained.key = await apiKeys.create(application.id, { name, environment });
    } else if (way === "client") {
      const scopes = Object.keys(entry.security.scopes ?? {});
      obtained.client = await oauth2Clients.create(application.id, { name, environment, scopes });
    } else {
      const user_name = wish.userName;
      obtained.basicUser = await basicUsers.create(application.id, {
        name,
        ...(user_name ? { user_name } : {}),
        environment,
      });
    }
  }
  return obtained;
}
