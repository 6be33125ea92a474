// Creates access in one step: an application if none was chosen, its subscription if it has none,
// and a credential of each requested kind.

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

/** The user's choices. */
export interface Wish {
  /** One of the user's applications; absent for a new one. */
  application: Pick<Application, "id" | "name"> | undefined;
  /** Name of a new application. */
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

/** Returns the existing subscription of an application. */
export function presentSubscription(entry: CatalogueEntry, application: string | undefined) {
  return entry.mine?.subscriptions.find((it) => it.application === application);
}

/** Returns the kinds of credentials that the version accepts. */
export function waysOf({ security }: CatalogueEntry): Way[] {
  const ways: Way[] = [];
  if (security.api_key) ways.push("key");
  if (security.oauth2) ways.push("client");
  if (security.basic) ways.push("basic_user");
  return ways;
}

/** Calls `onApplication` with a new application, so that a retry does not create another. */
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
  const subscription = { application: application.id, version: entry.version, plan: wish.plan };
  const { status } = presentSubscription(entry, application.id) ?? (await subscribe(subscription));
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
