import { getRouteApi } from "@tanstack/react-router";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { Disclosure } from "../../ui/Disclosure";
import { TextField } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { Grid } from "../../ui/Page";
import { NoFormYet } from "../NoFormYet";
import { DraftForm } from "./DraftForm";
import { VersionFrame } from "./VersionFrame";
import { CredentialFields } from "./CredentialFields";
import { ReadingForm } from "./ReadingForm";
import { type UpstreamFields, readUpstreams, writeUpstreams } from "./upstream_fields";

const words = text.publisher.version.upstream;
const route = getRouteApi("/shell/publisher/publish/versions/$version/upstream");

export function VersionUpstreamPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.upstream}>
      {({ draft }) => (
        <>
          <DraftForm id={id} draft={draft} read={readUpstreams} write={writeUpstreams}>
            {(fields, change) => (
              <>
                <Grid columns="2">
                  <Card title={words.production} note={words.productionNote}>
                    <UpstreamForm
                      pointer="/upstream"
                      fields={fields.production}
                      hint={draft.value.soap ? words.urlHints.service : words.urlHints.rest}
                      onChange={(production) => change({ production })}
                    />
                  </Card>
                  <Card title={words.sandbox} note={words.sandboxNote}>
                    <UpstreamForm
                      pointer="/sandbox_upstream"
                      fields={fields.sandbox}
                      hint={words.sandboxUrlHint}
                      onChange={(sandbox) => change({ sandbox })}
                    />
                  </Card>
                </Grid>
                {fields.reading && (
                  <ReadingForm
                    fields={fields.reading}
                    onChange={(reading) => change({ reading })}
                  />
                )}
              </>
            )}
          </DraftForm>
          <NoFormYet
            command={{
              method: "PATCH",
              path: `/versions/${id}/draft`,
              body: { upstream: { connections_max: 100 } },
            }}
          >
            {words.noForm}
          </NoFormYet>
        </>
      )}
    </VersionFrame>
  );
}

interface UpstreamFormProps {
  pointer: string;
  fields: UpstreamFields;
  hint: string;
  onChange: (fields: UpstreamFields) => void;
}

function UpstreamForm({ pointer, fields, hint, onChange }: UpstreamFormProps) {
  const set = (change: Partial<UpstreamFields>) => onChange({ ...fields, ...change });
  return (
    <>
      <TextField
        label={words.url}
        value={fields.url}
        onChange={(url) => set({ url })}
        pointer={`${pointer}/url`}
        hint={hint}
        mono
      />
      <CredentialFields
        pointer={`${pointer}/credential`}
        fields={fields.credential}
        onChange={(credential) => set({ credential })}
      />
      <Disclosure title={words.more} isOpen={!fields.isVerified || fields.ca !== ""}>
        <Checkbox
          isSelected={fields.isVerified}
          onChange={(isVerified) => set({ isVerified })}
          hint={words.verifyHint}
        >
          {words.verify}
        </Checkbox>
        {!fields.isVerified && <Note tone="bad">{words.unverified}</Note>}
        <TextField
          label={words.ca}
          value={fields.ca}
          onChange={(ca) => set({ ca })}
          pointer={`${pointer}/ca`}
          hint={words.caHint}
          lines={3}
          mono
        />
        <Timeouts pointer={pointer} fields={fields} onChange={set} />
      </Disclosure>
    </>
  );
}

interface TimeoutsProps {
  pointer: string;
  fields: UpstreamFields;
  onChange: (fields: Partial<UpstreamFields>) => void;
}

function Timeouts({ pointer, fields, onChange }: TimeoutsProps) {
  return (
    <Grid columns="3">
      <TextField
        label={words.connect}
        value={fields.connectMs}
        onChange={(connectMs) => onChange({ connectMs })}
        pointer={`${pointer}/connect_timeout_ms`}
        type="number"
      />
      <TextField
        label={words.firstByte}
        value={fields.firstByteMs}
        onChange={(firstByteMs) => onChange({ firstByteMs })}
        pointer={`${pointer}/first_byte_timeout_ms`}
        type="number"
      />
      <TextField
        label={words.idle}
        value={fields.idleMs}
        onChange={(idleMs) => onChange({ idleMs })}
        pointer={`${pointer}/idle_timeout_ms`}
        type="number"
        hint={words.idleHint}
      />
    </Grid>
  );
}
