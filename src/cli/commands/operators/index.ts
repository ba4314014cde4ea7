import { TopicCommand } from "../../base/topic-command.ts";

export default class Operators extends TopicCommand {
  static override summary = "Invite, list and remove operators of the dashboard.";
  static override description =
    "These commands work on the service's own database, without a running service. A viewer can read, support can also refund, an admin can also manage keys, webhooks and the team of their accounts.";
  static override examples = [
    "payments operators invite --name Ada --role admin",
    "payments operators list",
  ];
  protected readonly topic = "operators";
}
