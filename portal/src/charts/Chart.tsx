// Lines over time, drawn by uPlot: the first series filled, the others told apart by dash and
// colour. Who does not see it has the table beside it.

import { useEffect, useRef, useSyncExternalStore } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { compact, count } from "../text/format";
import styles from "./Chart.module.css";

export interface Series {
  label: string;
  values: readonly number[];
}

interface ChartProps {
  /** What it shows, in a sentence. */
  label: string;
  /** Unix seconds, rising. */
  times: readonly number[];
  series: readonly Series[];
}

const HEIGHT = 200;
/** Where no moment is pointed at. */
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
  // `light-dark()` is a value of its own until it is used as a colour.
  const colour = (name: string) => resolved(`var(--${name})`);
  const line = colour("line");
  const third = colour("text-third");
  const font = `11px ${look.getPropertyValue("--sans")}`;
  const axis = { stroke: third, font, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    padding: [12, 12, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { live: true },
    axes: [
      { ...axis, grid: { show: false }, space: 72 },
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
      { value: (_, at: number | null) => (at ? new Date(at * 1_000).toLocaleString() : NOTHING) },
      ...series.map(({ label }, index) => seriesOf(label, index, colour(`series-${index + 1}`))),
    ],
  };
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

/** A colour as the canvas takes it. */
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
