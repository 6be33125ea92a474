// What came of a call. What shows it, and explains refusals, is loaded with the first answer.

import { lazy, Suspense } from "react";
import { Skeleton } from "../ui/Loaded";
import { Part } from "../ui/Part";
import type { Answered } from "./call";

const AnswerShown = lazy(() => import("./AnswerShown"));

export interface AnswerViewProps {
  answer: Answered;
  /** Names the file of a download. */
  slug: string;
}

export function AnswerView(props: AnswerViewProps) {
  return (
    <Part>
      <Suspense fallback={<Skeleton />}>
        <AnswerShown {...props} />
      </Suspense>
    </Part>
  );
}
