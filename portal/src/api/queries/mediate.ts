// The dry run of a version's policies.

import type { components } from "../schema";
import { client, content } from "../client";

type Schemas = components["schemas"];

export type MessageField = Schemas["HeaderField"];
export type DryStep = Schemas["MediatedStep"];
export type DrySteps = Schemas["MediatedSteps"];
export type DryResult = Schemas["Mediated"];
/** A request or response on its way. */
export type Message = Schemas["MediatedMessage"];
/** A call that the dry run is given; it comes from {@link ADDRESS}. */
export type DryRequest = Omit<Schemas["Mediate"], "address">;

/** The client's address: one of those for documentation (RFC 5737). */
const ADDRESS = "192.0.2.1";

/** Runs the policies of a version on a call; nothing is sent or stored. */
export function mediate(version: string, body: DryRequest): Promise<DryResult> {
  const params = { path: { version } };
  return content(
    client.POST("/api/v1/versions/{version}/mediate", {
      params,
      body: { ...body, address: ADDRESS },
    }),
  );
}
