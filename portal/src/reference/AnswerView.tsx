// The result of a call. Its view, with the explanations of refusals, is loaded on demand.

import { lazy, Suspense } from "react";
import { Skeleton } from "../ui/Loaded";
import { Part } from "../ui/Part";
import type { Answered } from "./call";

const AnswerShown = lazy(() => import("./AnswerShown"));

export interface AnswerViewProps {
  answer: Answered;
  /** File name of the download, without extension. */
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
