// Texts of charts.

export const chartsWords = {
  range: "Time range",
  ranges: { "1h": "1 h", "24h": "24 h", "7d": "7 d", "30d": "30 d" },
  note: (zone: string) => `${zone} · solid: answered, dashed: refused`,
  noteOfDays: "UTC days · solid: answered, dashed: refused",
  answered: "Answered",
  refused: "Refused",
  mean: "Mean time",
  slowest: (time: string) => `slowest ${time}`,
  time: "Time",
  table: "Calls over time",
  chart: (answered: string, refused: string) =>
    `Calls over time: ${answered} answered, ${refused} refused. The table has the same figures.`,
  asTable: "Show as table",
  asChart: "Show as chart",
  csv: "CSV",
  lost: (from: string, to: string, reason: string) =>
    `Usage data is incomplete between ${from} and ${to}: ${reason}.`,
};
