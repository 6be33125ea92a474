// What the cache did on the last day, and purges.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usage } from "../../api/queries/usage";
import { bytes, share } from "../../text/format";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card, Figures } from "../../ui/Card";
import { Loaded } from "../../ui/Loaded";
import { PurgeDialog } from "./PurgeDialog";

const words = text.publisher.version.cache;
const DAY_S = 86_400;

interface CacheUseProps {
  version: string;
  /** Operations that purges can name. */
  operations: readonly string[];
}

export function CacheUse({ version, operations }: CacheUseProps) {
  const query = useQuery(usage({ filter: { version }, groupBy: ["version"], seconds: DAY_S }));
  const [isPurging, setPurging] = useState(false);
  return (
    <Card
      title={words.use.title}
      note={words.use.lead}
      actions={<Button onPress={() => setPurging(true)}>{words.purge.open}</Button>}
      flush
    >
      <Loaded query={query}>
        {({ rows: [row] }) => {
          const rate = row?.cache_rate ?? null;
          const saved = row?.bytes_from_cache ?? 0;
          return (
            <Figures
              figures={[
                { label: words.use.rate, value: rate === null ? words.use.none : share(rate) },
                { label: words.use.saved, value: rate === null ? words.use.none : bytes(saved) },
              ]}
            />
          );
        }}
      </Loaded>
      {isPurging && (
        <PurgeDialog version={version} operations={operations} onClose={() => setPurging(false)} />
      )}
    </Card>
  );
}
