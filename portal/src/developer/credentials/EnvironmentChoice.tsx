import type { Environment } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { Select } from "../../ui/Field";

interface EnvironmentChoiceProps {
  environment: Environment;
  onChange: (environment: Environment) => void;
}

export function EnvironmentChoice({ environment, onChange }: EnvironmentChoiceProps) {
  const names = text.nouns.environments;
  return (
    <Select
      label={text.developer.credentials.environment}
      value={environment}
      choices={[
        { value: "production", label: names.production },
        { value: "sandbox", label: names.sandbox },
      ]}
      onChange={onChange}
      pointer="/environment"
    />
  );
}
