// The upstream. Credential and certificate authority are rarely needed, so a disclosure hides them.

import { text } from "../../text/text";
import { Disclosure } from "../../ui/Disclosure";
import { TextField } from "../../ui/Field";
import { CredentialFields } from "../versions/CredentialFields";
import type { UpstreamFields } from "../versions/upstream_fields";

const words = text.publisher.version.upstream;

interface UpstreamChoiceProps {
  fields: UpstreamFields;
  isService: boolean;
  onChange: (fields: UpstreamFields) => void;
}

export function UpstreamChoice({ fields, isService, onChange }: UpstreamChoiceProps) {
  const set = (change: Partial<UpstreamFields>) => onChange({ ...fields, ...change });
  return (
    <>
      <TextField
        label={words.url}
        value={fields.url}
        onChange={(url) => set({ url })}
        pointer="/upstream/url"
        hint={isService ? words.urlHints.service : words.urlHints.rest}
        mono
      />
      <Disclosure title={text.publisher.import.form.more}>
        <CredentialFields
          pointer="/upstream/credential"
          fields={fields.credential}
          onChange={(credential) => set({ credential })}
        />
        <TextField
          label={words.ca}
          value={fields.ca}
          onChange={(ca) => set({ ca })}
          pointer="/upstream/ca"
          hint={words.caHint}
          lines={3}
          mono
        />
      </Disclosure>
    </>
  );
}
