import { useState } from "react";
import { currentSession } from "../api/session";
import { type Theme, chooseTheme, chosenTheme } from "../shell/theme";
import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Select } from "../ui/Field";
import { notify } from "../ui/Notices";
import { Grid, Page } from "../ui/Page";
import { AccountTabs } from "./AccountTabs";
import { PasswordForm } from "./PasswordForm";

export function AccountPage() {
  const words = text.account;
  const session = currentSession();
  const roles = session?.roles.map((role) => text.nouns.roles[role]).join(", ") ?? "";
  return (
    <Page title={words.title} tab={words.overview} lead={words.lead(session?.name ?? "", roles)}>
      <AccountTabs />
      <Grid columns="2">
        <Card title={words.password.title}>
          <PasswordForm
            currentLabel={words.password.current}
            submitLabel={words.password.change}
            onChanged={() => notify(words.password.changed)}
          />
        </Card>
        <Card title={words.look.title}>
          <Look />
        </Card>
      </Grid>
    </Page>
  );
}

function Look() {
  const [theme, setTheme] = useState(chosenTheme);
  const words = text.account.look;
  return (
    <Select<Theme>
      label={words.label}
      value={theme}
      choices={[
        { value: "system", label: words.system },
        { value: "light", label: words.light },
        { value: "dark", label: words.dark },
      ]}
      onChange={(chosen) => {
        chooseTheme(chosen);
        setTheme(chosen);
      }}
    />
  );
}
