import { afterEach, expect, test } from "vitest";
import { type Role, type Session, setSession } from "../../api/session";
import { maySubscribe } from "./may_subscribe";

afterEach(() => setSession(null));

const may = (roles: Role[] | undefined, owned: boolean) => {
  setSession(roles ? ({ user: "u", roles } as unknown as Session) : null);
  return maySubscribe({ mine: { owned, subscriptions: [] } });
};

test.each<[roles: Role[] | undefined, own: boolean, ofOthers: boolean]>([
  [["developer"], true, true],
  [["publisher"], true, false],
  [["publisher", "developer"], true, true],
  [undefined, false, false],
])("the roles %j", (roles, own, ofOthers) => {
  expect([may(roles, true), may(roles, false)]).toEqual([own, ofOthers]);
});
