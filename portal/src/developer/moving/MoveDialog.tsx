// "Move to 2.0": subscribes an application to the successor of a deprecated version. Shows what
// breaks first, asks for a plan only if the successor does not offer the present one, and names
// what does not move.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  type CatalogueEntry,
  type Successor,
  callerDifference,
  catalogueEntry,
} from "../../api/queries/catalogue";
import { subscribe } from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { limitsInWords } from "../../text/limit";
import { planOf, planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Select } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { inForce } from "../../ui/in_force";
import { waysOf } from "../access/obtain";
import { WhatBreaks } from "./WhatBreaks";
import type { Movable } from "./moving";

const words = text.moving;

interface MoveDialogProps {
  subscription: Movable;
  successor: Successor;
  onClose: () => void;
}

export function MoveDialog({ subscription, successor, onClose }: MoveDialogProps) {
  const { application, application_name, api_name, version_name } = subscription;
  const [chosen, setChosen] = useState("");
  const query = useQuery(catalogueEntry(successor.id));
  const difference = useQuery(callerDifference(subscription.version, successor.id));
  const isOffered = query.data?.plans.some(({ id }) => id === subscription.plan);
  const plan = isOffered ? subscription.plan : chosen;
  const name = `${api_name} ${successor.name}`;
  const submit = async () => {
    const wanted = { application, version: successor.id, plan };
    await inForce(subscribe(wanted), words.done(application_name, name, version_name));
    onClose();
  };
  return (
    <FormDialog
      title={words.title(application_name, name)}
      submit={words.move(successor.name)}
      isDisabled={plan === ""}
      why={isOffered === false && plan === "" ? words.chooseFirst : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.lead(application_name, name)}</p>
      <Loaded query={difference}>{(it) => <WhatBreaks difference={it} />}</Loaded>
      <Loaded query={query}>
        {(entry) => (
          <>
            <Credentials subscription={subscription} entry={entry} />
            {isOffered === false && (
              <Select
                label={words.plan}
                value={chosen}
                choices={entry.plans.map((offered) => ({
                  value: offered.id,
                  label: planTitle(offered),
                  detail: limitsInWords(offered.limits) || text.nouns.limit.unlimited,
                }))}
                onChange={setChosen}
                hint={words.choosePlan(successor.name, planOf(subscription))}
                pointer="/plan"
              />
            )}
            <Scopes subscription={subscription} entry={entry} />
            <Facts
              facts={[
                ...(isOffered ? [[words.plan, planOf(subscription)] as const] : []),
                [
                  words.address,
                  <InlineCode key="address" value={entry.address} label={words.address} />,
                ],
              ]}
            />
            <p>
              <Link {...paths.reference(entry.version)}>{words.reference(entry.name)}</Link>
            </p>
          </>
        )}
      </Loaded>
      <p>{words.stays(version_name)}</p>
    </FormDialog>
  );
}

interface TargetProps {
  subscription: Movable;
  /** The version to move to. */
  entry: CatalogueEntry;
}

/** Names the kinds of credentials that the new version no longer accepts. */
function Credentials({ subscription, entry }: TargetProps) {
  const { data: present } = useQuery(catalogueEntry(subscription.version));
  const accepted = waysOf(entry);
  const lost = (present ? waysOf(present) : []).filter((way) => !accepted.includes(way));
  if (lost.length === 0) return null;
  const ways = lost.map((way) => words.ways[way]).join(", ");
  return <Note tone="warning">{words.lost(entry.name, ways)}</Note>;
}

/** Names the scopes that the owner of the API must approve for the new subscription. */
function Scopes({ subscription, entry }: TargetProps) {
  const scopes = Object.entries(entry.security.scopes ?? {});
  const byApproval = scopes.filter(([, it]) => it.granted === "by_approval").map(([name]) => name);
  const anew = byApproval.filter((name) => subscription.scopes.includes(name));
  const others = byApproval.filter((name) => !subscription.scopes.includes(name));
  const publisher = entry.owner_name ?? words.aPublisher;
  return (
    <>
      {anew.length > 0 && <Note tone="warning">{words.anew(anew.join(", "), publisher)}</Note>}
      {others.length > 0 && (
        <Note tone="information">{words.byApproval(others.join(", "), publisher)}</Note>
      )}
    </>
  );
}
