// Tabs within a page, with one panel shown. Arrow keys move between them (WAI-ARIA
// Authoring Practices, "Tabs"). Tabs that are pages are `Tabs`.

import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import styles from "./PanelTabs.module.css";

export interface PanelTab {
  id: string;
  label: ReactNode;
  panel: ReactNode;
}

interface PanelTabsProps {
  label: string;
  tabs: readonly PanelTab[];
  /** The shown tab, if the page controls it. */
  chosen?: string;
  onChoose?: (id: string) => void;
}

export function PanelTabs({ label, tabs, chosen: given, onChoose }: PanelTabsProps) {
  const prefix = useId();
  const [own, setOwn] = useState(tabs[0]?.id);
  const chosen = given ?? own;
  const setChosen = (id: string) => {
    setOwn(id);
    onChoose?.(id);
  };
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === chosen),
  );
  const present = tabs[at];
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (step + tabs.length) % tabs.length;
    setChosen(tabs[next]?.id ?? "");
    event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div className={styles["frame"]}>
      <div role="tablist" aria-label={label} className={styles["list"]} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${prefix}-${tab.id}`}
            aria-selected={tab === present}
            aria-controls={tab === present ? `${prefix}-panel` : undefined}
            tabIndex={tab === present ? 0 : -1}
            className={styles["tab"]}
            onClick={() => setChosen(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {present && (
        <div
          key={present.id}
          role="tabpanel"
          id={`${prefix}-panel`}
          aria-labelledby={`${prefix}-${present.id}`}
          className={styles["panel"]}
        >
          {present.panel}
        </div>
      )}
    </div>
  );
}
