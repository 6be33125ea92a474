// "Move to 2.0": subscribes an application to the successor of a deprecated version. Shows what
// breaks first, asks for a plan only if the successor does not offer the present one, and names
// what does not move. All this arrives in one frame, and only then can the move be confirmed.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  type CatalogueEntry,
  type Successor,
  callerDifference,
  catalogueEntry,
} from "../../api/queries/catalogue";
import { type Subscription, subscribe } from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { limitsInWords } from "../../text/limit";
import { planOf, planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Facts } from "../../ui/Card";
import { InlineCode } from "../../ui/Code";
import { Select } from "../../ui/Field";
import { FixedFrame } from "../../ui/FixedFrame";
import { FormDialog } from "../../ui/FormDialog";
import { Loaded, Skeleton } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { notify } from "../../ui/Notices";
import { inForce } from "../../ui/in_force";
import { waysOf } from "../access/obtain";
import { WhatBreaks } from "./WhatBreaks";
import type { Movable } from "./moving";

const words = text.moving;

interface MoveDialogProps {
  subscription: Movable;
  successor: Successor;
  /** Called instead of `onClose` once the application is subscribed to the successor. */
  onMoved: () => void;
  onClose: () => void;
}

export function MoveDialog({ subscription, successor, onMoved, onClose }: MoveDialogProps) {
  const { application, application_name, api_name, version, version_name } = subscription;
  const [chosen, setChosen] = useState("");
  const difference = useQuery(callerDifference(version, successor.id));
  const present = useQuery(catalogueEntry(version));
  const next = useQuery(catalogueEntry(successor.id));
  const all = [difference, present, next];
  const isArriving = all.some(({ fetchStatus }) => fetchStatus !== "idle");
  const isOffered = next.data?.plans.some(({ id }) => id === subscription.plan);
  const plan = isOffered ? subscription.plan : chosen;
  const name = `${api_name} ${successor.name}`;
  const submit = async () => {
    const wanted = { application, version: successor.id, plan };
    await inForce(subscribe(wanted), ({ status }) => {
      const moved = { application: application_name, name, from: version_name };
      notify(noticeOf(status, moved), status === "active" ? "good" : "warning");
    });
    onMoved();
  };
  return (
    <FormDialog
      title={words.title(application_name, name)}
      submit={words.move(successor.name)}
      isDisabled={plan === "" || isArriving}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.lead(application_name, name)}</p>
      <FixedFrame label={words.whatChanges} isBusy={isArriving}>
        {all.some(({ isPending }) => isPending) ? (
          <Skeleton />
        ) : (
          <>
            {isOffered === false && next.data && (
              <PlanField {...{ subscription, chosen }} entry={next.data} onChange={setChosen} />
            )}
            <Loaded query={difference}>{(it) => <WhatBreaks difference={it} />}</Loaded>
            <Loaded query={present}>
              {(entry) => next.data && <Lost present={entry} next={next.data} />}
            </Loaded>
            <Loaded query={next}>
              {(entry) => <Target {...{ subscription, entry }} isPlanKept={isOffered === true} />}
            </Loaded>
          </>
        )}
      </FixedFrame>
      <p>{words.stays(version_name)}</p>
    </FormDialog>
  );
}

/** Returns the notice of a new subscription, which may have to be approved first. */
function noticeOf(
  status: Subscription["status"],
  { application, name, from }: { application: string; name: string; from: string },
): string {
  const made =
    status === "active"
      ? words.done(application, name)
      : words.notYet(application, name, text.nouns.statuses[status]);
  return `${made} ${words.oldStays(from)}`;
}

interface TargetProps {
  subscription: Movable;
  /** The version to move to. */
  entry: CatalogueEntry;
}

interface PlanFieldProps extends TargetProps {
  /** Id of the chosen plan; empty until one is chosen. */
  chosen: string;
  onChange: (plan: string) => void;
}

/** Chooses a plan in place of the present one. It is first in its frame, so that it is seen. */
function PlanField({ subscription, entry, chosen, onChange }: PlanFieldProps) {
  return (
    <Select
      label={words.plan}
      value={chosen}
      choices={entry.plans.map((offered) => ({
        value: offered.id,
        label: planTitle(offered),
        detail: limitsInWords(offered.limits) || text.limitSentence.unlimited,
      }))}
      onChange={onChange}
      hint={words.choosePlan(entry.name, planOf(subscription))}
      pointer="/plan"
    />
  );
}

/** Names the kinds of credentials that the new version no longer accepts. */
function Lost({ present, next }: { present: CatalogueEntry; next: CatalogueEntry }) {
  const accepted = waysOf(next);
  const lost = waysOf(present).filter((way) => !accepted.includes(way));
  if (lost.length === 0) return null;
  const ways = lost.map((way) => words.ways[way]).join(", ");
  return <Note tone="warning">{words.lost(next.name, ways)}</Note>;
}

/** The new version for the application: scopes, plan, address, reference. */
function Target({ subscription, entry, isPlanKept }: TargetProps & { isPlanKept: boolean }) {
  const address = <InlineCode key="address" value={entry.address} label={words.address} />;
  return (
    <>
      <Scopes subscription={subscription} entry={entry} />
      <Facts
        facts={[
          ...(isPlanKept ? [[words.plan, planOf(subscription)] as const] : []),
          [words.address, address],
        ]}
      />
      <p>
        <Link {...paths.reference(entry.version)}>{words.reference(entry.name)}</Link>
      </p>
    </>
  );
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
