import { TopicCommand } from "../../base/topic-command.ts";

export default class Keys extends TopicCommand {
  static override summary = "Create, list, roll and revoke API keys.";
  static override description =
    "For an operator: these commands work on the service's own database, without a running service.";
  static override examples = ["payments keys create --mode test --name ci", "payments keys list"];
  protected readonly topic = "keys";
}
