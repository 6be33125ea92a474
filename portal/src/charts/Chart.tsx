// Lines over time, drawn by uPlot: the first series is filled, the others differ by dash and
// colour. The table beside it is the accessible alternative.

import { useEffect, useRef, useSyncExternalStore } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { compact, count, dateTime, day, timeOfDay } from "../text/format";
import { text } from "../text/text";
import styles from "./Chart.module.css";

export interface Series {
  label: string;
  values: readonly number[];
}

interface ChartProps {
  /** A sentence that describes the chart. */
  label: string;
  /** Unix seconds, ascending. */
  times: readonly number[];
  series: readonly Series[];
}

const words = text.charts;
const HEIGHT = 184;
/** Shown while the pointer is not on the chart. */
const NOTHING = "–";
const DASHES: readonly number[][] = [[], [4, 2], [1, 3], [8, 3], [8, 3, 1, 3]];

export function Chart({ label, times, series }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useSyncExternalStore(onSchemeChange, colourScheme);
  useEffect(() => {
    if (!box.current) return;
    const parent = box.current;
    const data: UPlot.AlignedData = [[...times], ...series.map(({ values }) => [...values])];
    const plot = new UPlot(optionsOf(series, parent.clientWidth), data, parent);
    const resized = new ResizeObserver(() => {
      plot.setSize({ width: parent.clientWidth, height: HEIGHT });
    });
    resized.observe(parent);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, series, scheme]);
  return <div ref={box} className={styles["chart"]} role="img" aria-label={label} />;
}

function optionsOf(series: readonly Series[], width: number): UPlot.Options {
  const look = getComputedStyle(document.documentElement);
  // `light-dark()` stays unresolved until it is used as a colour.
  const colour = (name: string) => resolved(`var(--${name})`);
  const line = colour("line");
  const third = colour("text-third");
  const font = `11px ${look.getPropertyValue("--sans")}`;
  const axis = { stroke: third, font, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    padding: [12, 20, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { live: true },
    // The legend shows the values under the pointer.
    hooks: {
      setCursor: [
        ({ root, cursor }) => root.toggleAttribute("data-pointed", typeof cursor.idx === "number"),
      ],
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 72,
        values: (_, ticks) => ticks.map(momentOf),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: 48,
        space: 40,
        values: (_, ticks) => ticks.map((tick) => compact(tick)),
      },
    ],
    scales: { y: { range: (_, __, most) => [0, Math.max(most, 4) * 1.1] } },
    series: [
      { label: words.time, value: (_, at: number | null) => (at ? dateTime(isoOf(at)) : NOTHING) },
      ...series.map(({ label }, index) => seriesOf(label, index, colour(`series-${index + 1}`))),
    ],
  };
}

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** Label of a tick: the time of day, or the day at midnight. */
function momentOf(seconds: number): string {
  const at = new Date(seconds * 1_000);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return isMidnight ? day(at.toISOString()) : timeOfDay(at.toISOString());
}

function seriesOf(label: string, index: number, stroke: string): UPlot.Series {
  return {
    label,
    stroke,
    width: 1.8,
    dash: DASHES[index] ?? [],
    points: { show: false },
    value: (_, value: number | null) => (value === null ? NOTHING : count(value)),
    // 12 % of the first series' colour.
    ...(index === 0 ? { fill: withAlpha(stroke, 0.12) } : {}),
  };
}

/** Resolves a colour to a form that the canvas accepts. */
function resolved(value: string): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace(/^rgb\((.*)\)$/, (_, parts: string) => `rgba(${parts}, ${alpha})`);
}

function colourScheme(): string {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function onSchemeChange(tell: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = new MutationObserver(tell);
  system.addEventListener("change", tell);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", tell);
    chosen.disconnect();
  };
}
