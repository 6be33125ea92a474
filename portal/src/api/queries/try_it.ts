// Credentials that call a version for 15 minutes, on behalf of an application.

import type { components } from "../schema";
import { client, content } from "../client";

export type Trial = components["schemas"]["TryIt"];
export type Environment = components["schemas"]["Environment"];

export function createTrial(
  version: string,
  application: string,
  environment: Environment,
): Promise<Trial> {
  const params = { path: { version } };
  const body = { application, environment };
  return content(client.POST("/api/v1/versions/{version}/try-it", { params, body }));
}
