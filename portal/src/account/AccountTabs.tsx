import { paths } from "../paths";
import { text } from "../text/text";
import { Tabs } from "../ui/Tabs";

export function AccountTabs() {
  const words = text.account;
  return (
    <Tabs
      label={words.tabs}
      tabs={[
        { label: words.overview, link: paths.account(), isExact: true },
        { label: words.tokens, link: paths.accessTokens() },
      ]}
    />
  );
}
