import { TopicCommand } from "../../base/topic-command.ts";

export default class Network extends TopicCommand {
  static override summary = "Check the adapter of a card network.";
  static override description =
    "For an operator who takes real payments: an adapter connects the service to the card network.";
  static override examples = ["payments network check https://adapter.example.com"];
  protected readonly topic = "network";
}
