import { Link, getRouteApi } from "@tanstack/react-router";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { LimitsField } from "../../ui/LimitsField";
import { fieldAttributes } from "../../ui/fault_places";
import type { LimitFields } from "../../ui/limit_fields";
import { Narrow } from "../Narrow";
import { DraftForm } from "./DraftForm";
import { OperationLimitsCard } from "./OperationLimitsCard";
import { VersionFrame } from "./VersionFrame";
import { type VersionLimits, readVersionLimits, writeVersionLimits } from "./version_limits";

const words = text.publisher.version.limits;
const route = getRouteApi("/shell/publisher/publish/versions/$version/limits");

export function VersionLimitsPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.limits}>
      {({ draft, version }) => (
        <Narrow isWide>
          <DraftForm id={id} draft={draft} read={readVersionLimits} write={writeVersionLimits}>
            {(fields, change) => (
              <>
                <Card title={words.title} note={words.lead}>
                  <LimitsField
                    owner="version"
                    limits={fields.limits}
                    onChange={(limits) => change({ limits })}
                    pointer="/limits"
                    empty={words.none}
                  />
                </Card>
                <OperationLimitsCard
                  draft={draft.value}
                  plans={version.plans?.map(({ name }) => name) ?? []}
                  operations={fields.operations}
                  onChange={(operations) => change({ operations })}
                />
                <UpstreamLimits fields={fields} onChange={change} />
              </>
            )}
          </DraftForm>
          <Card title={words.others}>
            <p>
              {words.byPlans} <Link {...paths.versionPlans(id)}>{words.toPlans}</Link>
            </p>
          </Card>
        </Narrow>
      )}
    </VersionFrame>
  );
}

interface UpstreamLimitsProps {
  fields: VersionLimits;
  onChange: (fields: Partial<VersionLimits>) => void;
}

function UpstreamLimits({ fields: { production, sandbox }, onChange }: UpstreamLimitsProps) {
  return (
    <Card title={words.upstreams} note={words.upstreamsLead}>
      {!production && !sandbox && <p>{words.noUpstreams}</p>}
      {production && (
        <OneUpstream
          title={words.production}
          limits={production}
          pointer="/upstream/limits"
          onChange={(limits) => onChange({ production: limits })}
        />
      )}
      {sandbox && (
        <OneUpstream
          title={words.sandbox}
          limits={sandbox}
          pointer="/sandbox_upstream/limits"
          onChange={(limits) => onChange({ sandbox: limits })}
        />
      )}
    </Card>
  );
}

interface OneUpstreamProps {
  title: string;
  limits: LimitFields[];
  pointer: string;
  onChange: (limits: LimitFields[]) => void;
}

function OneUpstream({ title, ...list }: OneUpstreamProps) {
  return (
    <section aria-label={title} {...fieldAttributes(undefined, title)}>
      <h3>{title}</h3>
      <LimitsField owner="upstream" empty={words.noOwn} {...list} />
    </section>
  );
}
