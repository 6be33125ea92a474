// Texts of charts and of lists of usage.

export const chartsWords = {
  range: "Time range",
  ranges: { "1h": "1 h", "24h": "24 h", "7d": "7 d", "30d": "30 d" },
  note: (zone: string) => `${zone} · solid: answered, dashed: refused`,
  answered: "Answered",
  refused: "Refused",
  metrics: {
    calls: "Calls",
    error_rate: "Error rate",
    bytes_out: "Sent",
    avg: "Mean time",
    p50: "Median time",
    p95: "p95",
    p99: "p99",
    upstream_p95: "Upstream p95",
  },
  mean: (time: string) => `mean ${time}`,
  slowest: (time: string) => `slowest ${time}`,
  aWeekEarlier: (value: string) => `${value} a week earlier`,
  time: "Time",
  table: "Calls over time",
  chart: (answered: string, refused: string) =>
    `Calls over time: ${answered} answered, ${refused} refused. The table has the same figures.`,
  asTable: "Show as table",
  asChart: "Show as chart",
  csv: "CSV",
  countedUpTo: (time: string) => `Counted up to ${time}`,
  lost: (from: string, to: string, reason: string) =>
    `Usage data is incomplete between ${from} and ${to}: ${reason}.`,
  moreLost: (n: number) =>
    n === 1 ? "It is incomplete in 1 earlier period." : `It is incomplete in ${n} earlier periods.`,
  top: {
    none: "No calls in this time range.",
    others: "All others",
    slowestOperations: "Slowest operations",
    operation: "Operation",
    noOperation: "no operation",
    applications: "Applications with most calls",
    application: "Application",
    noApplication: "without an application",
    versions: "Versions with most calls",
    version: "Version",
    unknown: "unknown",
    deleted: "deleted",
  },
};
