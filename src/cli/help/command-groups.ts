/** The words that begin several commands: `payments keys` alone shows the help of those. */
export const commandGroups: Readonly<
  Record<string, { summary: string; description?: string; examples: readonly string[] }>
> = {
  accounts: {
    summary: "Create, list and rename accounts, one for each merchant.",
    description:
      "For an operator: these commands work on the service's own database, without a running service. Accounts never see each other's data.",
    examples: ['payments accounts create --name "Books & Co"', "payments accounts list"],
  },
  activity: {
    summary: "List who did what in an account.",
    description:
      "For an operator: this command works on the service's own database, without a running service. The audit log has what operators, API keys and commands changed, and is stored for a year.",
    examples: [
      "payments activity list --since 24h",
      "payments activity list --action payment.refunded --all -o csv",
    ],
  },
  events: {
    summary: "List events of payments, and send them again.",
    description:
      "An event records that the status of a payment changed. Events are deleted after 30 days, unless the service has another --event-retention.",
    examples: [
      "payments events list --type payment.failed",
      "payments events get evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
    ],
  },
  keys: {
    summary: "Create, list, roll and revoke API keys.",
    description:
      "For an operator: these commands work on the service's own database, without a running service.",
    examples: ["payments keys create --mode test --name ci", "payments keys list"],
  },
  logs: {
    summary: "List, show and follow the requests that the service logged.",
    description:
      "Every request that wrote, was refused or failed is logged, without its body, card numbers and keys. Requests are deleted after 7 days, unless the service has another --request-log.",
    examples: [
      "payments logs list --status 4xx,5xx",
      "payments logs get req_0199c5a8-7f3e-7abc-9def-0123456789ab",
      "payments logs tail",
    ],
  },
  network: {
    summary: "Check the adapter of a card network.",
    description:
      "For an operator who takes real payments: an adapter connects the service to the card network.",
    examples: ["payments network check https://adapter.example.com"],
  },
  operators: {
    summary: "Invite, list and remove operators of the dashboard.",
    description:
      "These commands work on the service's own database, without a running service. A viewer can read, support can also see the log of requests, and refund and cancel payments, an admin can also manage keys, webhooks and the team of their accounts.",
    examples: ["payments operators invite --name Ada --role admin", "payments operators list"],
  },
  webhooks: {
    summary: "Manage the endpoints that events are sent to.",
    examples: [
      "payments webhooks create --url https://shop.example/hooks",
      "payments webhooks list",
    ],
  },
};
