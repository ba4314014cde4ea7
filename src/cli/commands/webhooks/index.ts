import { TopicCommand } from "../../base/topic-command.ts";

export default class Webhooks extends TopicCommand {
  static override summary = "Manage the endpoints that events are sent to.";
  static override examples = [
    "payments webhooks create --url https://shop.example/hooks",
    "payments webhooks list",
  ];
  protected readonly topic = "webhooks";
}
