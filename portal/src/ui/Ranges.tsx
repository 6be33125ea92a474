import { Link, type LinkProps } from "@tanstack/react-router";
import styles from "./Ranges.module.css";

interface RangesProps<R extends string> {
  label: string;
  present: R;
  /** The page with another range. */
  linkTo: (range: R) => LinkProps;
  /** Their names, in the order in which they are shown. */
  ranges: Readonly<Record<R, string>>;
}

/** The ranges of time that figures can have: links, since the range is in the address. */
export function Ranges<R extends string>(props: RangesProps<R>) {
  const { label, present, linkTo, ranges } = props;
  return (
    <nav aria-label={label} className={styles["ranges"]}>
      {(Object.keys(ranges) as R[]).map((range) => (
        <Link
          key={range}
          {...linkTo(range)}
          className={styles["range"]}
          aria-current={range === present ? "true" : undefined}
        >
          {ranges[range]}
        </Link>
      ))}
    </nav>
  );
}
