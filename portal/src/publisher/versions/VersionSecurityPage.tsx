import { Link, getRouteApi } from "@tanstack/react-router";
import type { Configuration, Granted } from "../../api/queries/versions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Select, TextField } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { Grid } from "../../ui/Page";
import { RadioGroup } from "../../ui/RadioGroup";
import { Narrow } from "../Narrow";
import { DraftForm } from "./DraftForm";
import { VersionFrame } from "./VersionFrame";
import styles from "./VersionSecurityPage.module.css";
import {
  NEW_SCOPE,
  type ScopeFields,
  type Scheme,
  type SecurityFields,
  openOperations,
  readSecurity,
  writeSecurity,
} from "./security_fields";

const words = text.publisher.version.security;
const route = getRouteApi("/shell/publisher/publish/versions/$version/security");

const GRANTED: readonly Granted[] = ["freely", "by_approval"];
const SCHEMES: readonly Scheme[] = ["api_key", "oauth2", "basic"];

export function VersionSecurityPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.security}>
      {({ draft }) => (
        <Narrow>
          <DraftForm id={id} draft={draft} read={readSecurity} write={writeSecurity}>
            {(fields, change) => (
              <>
                <Schemes fields={fields} onChange={change} />
                <Scopes scopes={fields.scopes} onChange={(scopes) => change({ scopes })} />
              </>
            )}
          </DraftForm>
          <OpenOperations id={id} configuration={draft.value} />
        </Narrow>
      )}
    </VersionFrame>
  );
}

interface SchemesProps {
  fields: SecurityFields;
  onChange: (fields: Partial<SecurityFields>) => void;
}

function Schemes({ fields, onChange }: SchemesProps) {
  const chosen = (value: string[]) => SCHEMES.filter((scheme) => value.includes(scheme));
  return (
    <Card title={words.schemes} note={words.schemesNote}>
      <CheckboxGroup
        label={words.taken}
        value={fields.schemes}
        onChange={(value) => onChange({ schemes: chosen(value) })}
        choices={SCHEMES.map((scheme) => ({ value: scheme, ...words.scheme[scheme] }))}
        pointer="/security"
      />
      {fields.schemes.length > 1 && (
        <RadioGroup
          label={words.require}
          value={fields.require}
          onChange={(require) => onChange({ require })}
          choices={[
            { value: "any", label: words.any },
            { value: "all", label: words.all },
          ]}
          pointer="/security/require"
        />
      )}
      {fields.schemes.includes("api_key") && (
        <Grid columns="2">
          <TextField
            label={words.header}
            value={fields.header}
            onChange={(header) => onChange({ header })}
            pointer="/security/api_key/header"
            mono
          />
          <TextField
            label={words.query}
            value={fields.query}
            onChange={(query) => onChange({ query })}
            pointer="/security/api_key/query"
            hint={words.queryHint}
            mono
          />
        </Grid>
      )}
    </Card>
  );
}

interface ScopesProps {
  scopes: readonly ScopeFields[];
  onChange: (scopes: ScopeFields[]) => void;
}

function Scopes({ scopes, onChange }: ScopesProps) {
  const set = (index: number, change: Partial<ScopeFields>) =>
    onChange(scopes.map((scope, at) => (at === index ? { ...scope, ...change } : scope)));
  return (
    <Card title={words.scopes} note={words.scopesNote}>
      {scopes.map(({ name, text: allows, granted }, index) => (
        <div key={index} className={styles["scope"]}>
          <TextField
            label={words.scopeName}
            value={name}
            onChange={(typed) => set(index, { name: typed })}
            pointer={`/security/scopes/${name}`}
            mono
          />
          <TextField
            label={words.scopeText}
            value={allows}
            onChange={(typed) => set(index, { text: typed })}
          />
          <Select<Granted>
            label={words.scopeGranted}
            value={granted}
            choices={GRANTED.map((value) => ({ value, ...words.granted[value] }))}
            onChange={(chosen) => set(index, { granted: chosen })}
          />
          <Button
            small
            aria-label={words.removeScope(name)}
            onPress={() => onChange(scopes.filter((_, at) => at !== index))}
          >
            {words.remove}
          </Button>
        </div>
      ))}
      <div>
        <Button small onPress={() => onChange([...scopes, NEW_SCOPE])}>
          {words.addScope}
        </Button>
      </div>
    </Card>
  );
}

/** Operations that need no credential, listed separately so that they are not overlooked. */
function OpenOperations({ id, configuration }: { id: string; configuration: Configuration }) {
  const open = openOperations(configuration);
  if (open.length === 0) return <Note tone="good">{words.noneOpen}</Note>;
  return (
    <Card title={words.open(open.length)} note={words.openNote}>
      <ul className={styles["open"]}>
        {open.map((operation) => (
          <li key={operation}>
            <code>{operation}</code>
          </li>
        ))}
      </ul>
      <p>
        <Link {...paths.versionOperations(id, { show: "anonymous" })}>{words.toOperations}</Link>
      </p>
    </Card>
  );
}
