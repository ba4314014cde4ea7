import { TopicCommand } from "../../base/topic-command.ts";

export default class Webhooks extends TopicCommand {
  static override summary = "Manage the endpoints that events are sent to.";
  static override examples = [
    "<%= config.bin %> webhooks create --url https://shop.example/hooks",
    "<%= config.bin %> webhooks list",
  ];
  protected readonly topic = "webhooks";
}
