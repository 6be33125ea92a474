// CORS of a version: the pages of other origins that may call it.

import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Checkbox, CheckboxGroup } from "../../ui/Checkbox";
import { TextField } from "../../ui/Field";
import { RadioGroup } from "../../ui/RadioGroup";
import { fieldAttributes } from "../../ui/fault_places";
import styles from "./CorsCard.module.css";
import { ListField } from "./StepField";
import { type CorsFields, type CorsMethod, NEW_CORS } from "./cors_fields";

const words = text.publisher.version.policies.cors;
const POINTER = "/policies/cors";

const METHODS: readonly CorsMethod[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

interface CorsCardProps {
  cors: CorsFields | null;
  onChange: (cors: CorsFields | null) => void;
}

export function CorsCard({ cors, onChange }: CorsCardProps) {
  return (
    <Card title={words.title} note={words.note}>
      <Checkbox
        isSelected={cors !== null}
        onChange={(isOn) => onChange(isOn ? NEW_CORS : null)}
        hint={words.isOnHint}
      >
        {words.isOn}
      </Checkbox>
      {cors && <CorsForm cors={cors} onChange={(change) => onChange({ ...cors, ...change })} />}
    </Card>
  );
}

interface CorsFormProps {
  cors: CorsFields;
  onChange: (change: Partial<CorsFields>) => void;
}

function CorsForm({ cors, onChange }: CorsFormProps) {
  return (
    <>
      <ListField
        label={words.origins}
        value={cors.origins}
        onChange={(origins) => onChange({ origins })}
        pointer={`${POINTER}/origins`}
        hint={words.originsHint}
        placeholder="https://shop.example"
      />
      <Checkbox
        isSelected={cors.isForPortal}
        onChange={(isForPortal) => onChange({ isForPortal })}
        hint={words.portalHint}
      >
        {words.portal}
      </Checkbox>
      <MethodFields cors={cors} onChange={onChange} />
      <HeaderFields cors={cors} onChange={onChange} />
      <ListField
        label={words.expose}
        value={cors.expose}
        onChange={(expose) => onChange({ expose })}
        pointer={`${POINTER}/expose`}
        hint={words.exposeHint}
      />
      <CheckboxGroup
        label={words.credentials}
        value={cors.hasCredentials ? [CREDENTIALS] : []}
        choices={[{ value: CREDENTIALS, label: words.allowed, detail: words.credentialsHint }]}
        onChange={(chosen) => onChange({ hasCredentials: chosen.includes(CREDENTIALS) })}
        pointer={`${POINTER}/credentials`}
      />
      <TextField
        label={words.maxAge}
        value={cors.maxAge}
        onChange={(maxAge) => onChange({ maxAge })}
        pointer={`${POINTER}/max_age_s`}
        type="number"
        hint={words.maxAgeHint}
      />
    </>
  );
}

const CREDENTIALS = "credentials";

function MethodFields({ cors: { methods }, onChange }: CorsFormProps) {
  return (
    <div className={styles["choice"]} {...fieldAttributes(`${POINTER}/methods`, words.methods)}>
      <RadioGroup
        label={words.methods}
        value={methods === null ? "default" : "these"}
        choices={[
          { value: "default", label: words.ofOperations },
          { value: "these", label: words.onlyThese },
        ]}
        onChange={(choice) => onChange({ methods: choice === "these" ? [] : null })}
      />
      {methods && (
        <CheckboxGroup
          label={words.methodsThat}
          value={methods}
          choices={[...new Set([...METHODS, ...methods])].map((value) => ({ value, label: value }))}
          onChange={(chosen) => onChange({ methods: chosen as CorsMethod[] })}
          pointer={`${POINTER}/methods`}
        />
      )}
    </div>
  );
}

function HeaderFields({ cors: { headers }, onChange }: CorsFormProps) {
  return (
    <div className={styles["choice"]} {...fieldAttributes(`${POINTER}/headers`, words.headers)}>
      <RadioGroup
        label={words.headers}
        value={headers === null ? "default" : "these"}
        choices={[
          { value: "default", label: words.ofDocument },
          { value: "these", label: words.onlyThese },
        ]}
        onChange={(choice) => onChange({ headers: choice === "these" ? "" : null })}
      />
      {headers !== null && (
        <ListField
          label={words.headersThat}
          value={headers}
          onChange={(typed) => onChange({ headers: typed })}
          pointer={`${POINTER}/headers`}
          hint={words.onePerLine}
        />
      )}
    </div>
  );
}
