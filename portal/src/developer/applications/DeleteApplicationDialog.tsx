import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Application, deleteApplication } from "../../api/queries/applications";
import { apiKeys, basicUsers, oauth2Clients } from "../../api/queries/credentials";
import { subscriptionsOf } from "../../api/queries/subscriptions";
import { usage } from "../../api/queries/usage";
import { sumsOf } from "../../charts/steps";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Skeleton } from "../../ui/Loaded";
import { notify } from "../../ui/Notices";
import { useNow } from "../../ui/Time";
import { hasEnded } from "../credentials/state";

const words = text.developer.application;

interface DeleteApplicationDialogProps {
  application: Application;
  onClose: () => void;
}

export function DeleteApplicationDialog({ application, onClose }: DeleteApplicationDialogProps) {
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={words.deleteTitle(application.name)}
      confirm={words.delete}
      typed={application.name}
      onConfirm={async () => {
        await deleteApplication(application.id);
        notify(words.deleted);
        await navigate(paths.applications());
      }}
      onClose={onClose}
    >
      <p>{words.deleteLead}</p>
      <WhatEnds id={application.id} />
    </ConfirmDialog>
  );
}

const DAY_S = 86_400;

function WhatEnds({ id }: { id: string }) {
  const now = useNow();
  const subscriptions = useInfiniteQuery(subscriptionsOf(id)).data?.total;
  const keys = useQuery(apiKeys.list(id)).data;
  const clients = useQuery(oauth2Clients.list(id)).data;
  const users = useQuery(basicUsers.list(id)).data;
  const figures = useQuery(
    usage({ filter: { application: id }, groupBy: [], seconds: DAY_S }),
  ).data;
  if (subscriptions === undefined || !keys || !clients || !users || !figures) return <Skeleton />;
  const live = [...keys, ...clients, ...users].filter((it) => !hasEnded(it, now)).length;
  const { calls } = sumsOf(figures.rows);
  return (
    <p>
      <strong>
        {words.deleteCounts(
          words.subscriptionCount(subscriptions, count(subscriptions)),
          words.credentialCount(live, count(live)),
          words.callCount(calls, count(calls)),
        )}
      </strong>
    </p>
  );
}
