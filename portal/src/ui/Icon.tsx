// The icons of the pages, all of one weight. They are decoration: the label of the surrounding
// control names the meaning.

import styles from "./Icon.module.css";

const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  done: "M3 8.5l3.5 3.5L13 4.5",
  down: "M4 6l4 4 4-4",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  external: "M6 3.5H3v9.5h9.5V10M9 3h4v4M13 3L7.5 8.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  right: "M6 4l4 4-4 4",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5l3 3",
  up: "M4 10l4-4 4 4",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className={styles["icon"]} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
