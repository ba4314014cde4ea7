import { TopicCommand } from "../../base/topic-command.ts";

export default class Accounts extends TopicCommand {
  static override summary = "Create, list and rename accounts, one for each merchant.";
  static override description =
    "For an operator: these commands work on the service's own database, without a running service. Accounts never see each other's data.";
  static override examples = [
    'payments accounts create --name "Books & Co"',
    "payments accounts list",
  ];
  protected readonly topic = "accounts";
}
