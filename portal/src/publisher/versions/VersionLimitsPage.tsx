import { Link, getRouteApi } from "@tanstack/react-router";
import type { Configuration, DraftPatch } from "../../api/queries/versions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { LimitsField } from "../../ui/LimitsField";
import { type LimitFields, readLimit, writeLimit } from "../../ui/limit_fields";
import { Narrow } from "../Narrow";
import { DraftForm } from "./DraftForm";
import { VersionFrame } from "./VersionFrame";
import { operationRows } from "./operation_rows";

const words = text.publisher.version.limits;
const route = getRouteApi("/shell/publisher/publish/versions/$version/limits");

interface Fields {
  limits: LimitFields[];
}

const read = ({ limits = [] }: Configuration): Fields => ({ limits: limits.map(readLimit) });
const write = ({ limits }: Fields): DraftPatch => ({
  limits: limits.map((limit) => writeLimit(limit, "api")),
});

export function VersionLimitsPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.limits}>
      {({ draft }) => (
        <Narrow>
          <DraftForm id={id} draft={draft} read={read} write={write}>
            {({ limits }, change) => (
              <Card title={words.title} note={words.lead}>
                <LimitsField
                  limits={limits}
                  onChange={(changed) => change({ limits: changed })}
                  pointer="/limits"
                  empty={words.none}
                />
              </Card>
            )}
          </DraftForm>
          <OtherLimits id={id} draft={draft.value} />
        </Narrow>
      )}
    </VersionFrame>
  );
}

/** Where the other limits of its calls are. */
function OtherLimits({ id, draft }: { id: string; draft: Configuration }) {
  const limited = operationRows(draft).filter(({ limits }) => limits.length > 0);
  return (
    <Card title={words.others}>
      <p>
        {words.byPlans} <Link {...paths.versionPlans(id)}>{words.toPlans}</Link>
      </p>
      <p>
        {words.byOperations(limited.length)}{" "}
        <Link {...paths.versionOperations(id, limited.length > 0 ? { show: "limits" } : {})}>
          {words.toOperations}
        </Link>
      </p>
    </Card>
  );
}
