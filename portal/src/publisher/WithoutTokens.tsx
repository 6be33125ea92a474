// Operations that take access tokens alone, where none are issued: nobody could call them.

import { useQuery } from "@tanstack/react-query";
import { portal } from "../api/queries/portal";
import { text } from "../text/text";
import { Checkbox } from "../ui/Checkbox";
import { Note } from "../ui/Note";

const words = text.publisher.withoutTokens;

/** How many of these operations nobody could call: none where access tokens are issued. */
export function useUncallable(byToken: number): number {
  const installation = useQuery(portal).data;
  return installation && !installation.parts.key_manager ? byToken : 0;
}

interface WithoutTokensProps {
  /** How many operations nobody could call. */
  count: number;
  isAccepted: boolean;
  onChange: (isAccepted: boolean) => void;
}

/** How to mend it, and the tick that accepts it. */
export function WithoutTokens({ count, isAccepted, onChange }: WithoutTokensProps) {
  if (count === 0) return null;
  return (
    <Note tone="warning">
      <p>{words.lead(count)}</p>
      <Checkbox isSelected={isAccepted} onChange={onChange}>
        {words.accept}
      </Checkbox>
    </Note>
  );
}
