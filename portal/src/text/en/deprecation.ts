// Texts about deprecated versions, for developers and publishers.

export const deprecationWords = {
  end: {
    passed: (day: string) => `was announced to end on ${day}`,
    today: (time: string) => `ends today, at ${time}`,
    tomorrow: (day: string) => `ends tomorrow, on ${day}`,
    inDays: (days: number, day: string) => `ends in ${days} days, on ${day}`,
  },
  notice: "This version is deprecated: it accepts no new subscriptions.",
  /** Before the announced end. */
  it: "It",
  noEnd: "Its end is not announced yet.",
  noSuccessor: "Its publisher has not named a successor.",
  retired: "Retired versions that this application was subscribed to",
  retiredOn: (day: string) => `retired on ${day}.`,
  mine: "Deprecated versions that this application is subscribed to",
};
