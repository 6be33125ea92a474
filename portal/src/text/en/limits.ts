// Texts of the form for limits, and of the limits of a version.

/** The list of limits, wherever limits are edited. */
export const limitWords = {
  limit: (number: number) => `Limit ${number}`,
  amount: "Calls",
  window: "In",
  counting: "Counted",
  countings: {
    fixed: {
      label: "By calendar",
      detail: "All calls are available again when the next window begins",
    },
    gcra: {
      label: "Evenly",
      detail: "A token bucket: refills evenly, and allows bursts",
    },
    rolling: {
      label: "Rolling",
      detail: "All calls in the window that ends now",
    },
  },
  burst: "Calls at once",
  zone: "Time zone",
  add: "Add limit",
  remove: "Remove",
  removeLimit: (number: number) => `Remove limit ${number}`,
  tooMany: "at most 16 limits",
};

export const versionLimitWords = {
  title: "Limits of the version",
  lead: "All callers together share them, in addition to the limits of their plans. Changes take effect when deployed.",
  none: "No limits of its own: plans and operations limit the calls.",
  others: "Other limits",
  byPlans: "Plans limit each subscription and application.",
  toPlans: "Plans",
  byOperations: (n: number) => {
    if (n === 0) return "No operation has limits of its own.";
    return n === 1
      ? "One operation has limits of its own."
      : `${n} operations have limits of their own.`;
  },
  toOperations: "Operations",
};
