// The columns that name a group of an application's calls by API, status and reason.

import { Link } from "@tanstack/react-router";
import type { UsageRow } from "../../api/queries/usage";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import type { Column } from "../../ui/Table";
import { titleOfRefusal } from "../explain/refusals";

const words = text.developer.usage;
const { top } = text.charts;

export const answerColumns = (application: string): readonly Column<UsageRow>[] => [
  {
    title: words.api,
    isName: true,
    cell: ({ api, version }) =>
      api ? `${api.name ?? top.deleted} ${version?.name ?? ""}` : top.unknown,
  },
  { title: words.status, cell: ({ status }) => <StatusOf status={status ?? 0} /> },
  {
    title: words.why,
    cell: ({ refusal }) =>
      refusal && (
        <Link {...paths.explain({ code: refusal, application })}>{titleOfRefusal(refusal)}</Link>
      ),
  },
];

function StatusOf({ status }: { status: number }) {
  if (status === 0) return <Badge tone="quiet">{words.left}</Badge>;
  return <Badge tone={statusTone(status)}>{status}</Badge>;
}
