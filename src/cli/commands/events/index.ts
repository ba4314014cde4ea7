import { TopicCommand } from "../../base/topic-command.ts";

export default class Events extends TopicCommand {
  static override summary = "List events of payments, and send them again.";
  static override description =
    "An event records that the status of a payment changed. Events are deleted after 30 days, unless the service has another --event-retention.";
  static override examples = [
    "payments events list --type payment.failed",
    "payments events get evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  protected readonly topic = "events";
}
