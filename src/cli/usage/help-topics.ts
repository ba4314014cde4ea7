/** What `payments help` explains beside the commands. */
export const helpTopics = [
  { name: "exit-codes", summary: "What each exit code says to a script." },
  { name: "environment", summary: "The variables that commands read." },
] as const;
export type HelpTopic = (typeof helpTopics)[number]["name"];
