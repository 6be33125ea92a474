// What the gateway's cache did for a call.

import { age } from "../text/format";
import { text } from "../text/text";
import { Badge, type Tone } from "../ui/Badge";
import type { CacheResult } from "./cache_status";
import styles from "./TryIt.module.css";

const words = text.reference.answer.cache;
const TONES: Record<CacheResult["use"], Tone> = {
  hit: "good",
  stale: "warning",
  revalidated: "good",
  miss: "quiet",
  fresh: "quiet",
  bypass: "quiet",
};

export function CacheLine({ result }: { result: CacheResult }) {
  return (
    <p className={styles["facts"]}>
      <Badge tone={TONES[result.use]}>{words.uses[result.use]}</Badge>
      <span className={styles["quiet"]}>{meaningOf(result)}</span>
    </p>
  );
}

function meaningOf({ use, isStored, ageS = 0, ttlS = 0 }: CacheResult): string {
  switch (use) {
    case "hit":
      return words.hit(age(ageS), age(ttlS));
    case "stale":
      return words.stale(age(ageS));
    case "revalidated":
      return words.revalidated;
    case "bypass":
      return words.bypass;
    case "miss":
    case "fresh":
      return isStored ? words.stored : words.notStored;
  }
}
