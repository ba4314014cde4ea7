import {
  deliveryIdPattern,
  eventIdPattern,
  paymentIdPattern,
  requestIdPattern,
} from "../../contract/field-values.ts";
import { type History, type Moment, maxMoments } from "../../contract/history.ts";
import type { Payment } from "../../contract/payment.ts";
import { momentFields } from "../../contract/responses.ts";
import { escapeControls } from "../../runtime/text.ts";
import { checkId, describeSearch } from "../flags/checked-values.ts";
import { readFlags, requiredArg } from "../flags/flags.ts";
import { describeReading } from "../output/command-facts.ts";
import { listPaymentDetails, paymentResource } from "../output/payment-resource.ts";
import {
  type RecordName,
  type ResourceName,
  type View,
  minWrappedWidth,
} from "../output/resource.ts";
import { formatCount, formatLocalTime } from "../output/style.ts";
import { BaseCommand } from "../program/base-command.ts";
import { retrieveOnceLogged, withReader } from "../program/connection.ts";

/** The kinds of ids that lead to a payment. */
const explained: ResourceName = {
  ...paymentResource,
  one: "a payment, a request, an event or a delivery",
  idPattern: new RegExp(
    [paymentIdPattern, requestIdPattern, eventIdPattern, deliveryIdPattern]
      .map(({ source }) => source)
      .join("|"),
  ),
  idForm: "pay_0199… or evt_0199…",
};

const momentView: RecordName & View<Moment> = {
  one: "a moment",
  fields: momentFields,
  someFields: "at,kind,text",
  columns: [
    { title: "WHEN", text: ({ at }) => formatLocalTime(at) },
    { title: "BY", text: formatAuthor, minWidth: "operator".length },
    { title: "WHAT", text: ({ text }) => text, minWidth: minWrappedWidth },
  ],
};

export default class Explain extends BaseCommand {
  static override summary = "Tell what happened to a payment, by whom, and what is next.";
  static override description =
    "Oldest first, it tells of the requests that made and changed the payment, its page, the bank and the card network, and each try to deliver its events. Of a request, an event or a delivery it tells about the payment.";
  static override examples = [
    "payments explain pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments explain req_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments explain pay_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r '.data[].text'",
  ];
  static override args = {
    id: requiredArg(`The id of ${explained.one}, such as ${explained.idForm}.`),
  };
  static override flags = readFlags(momentView);
  static facts = describeReading("GET /v1/payments/:id/history");

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Explain);
    const output = this.parseOutput(flags, momentView);
    const id = checkId(explained, args.id, "<id>", describeSearch(args.id));
    await withReader(this, flags, async ({ payments }) => {
      const retrieve = async () => payments.history(id);
      const history = await (requestIdPattern.test(id)
        ? retrieveOnceLogged(this, id, retrieve)
        : retrieve());
      if (output.fields || output.format !== "table")
        await this.showMany(momentView, history, output);
      else {
        const payment = await payments.retrieve(history.payment);
        await this.show({ value: history, text: async () => this.tell(payment, history) }, output);
      }
      if (history.has_more)
        this.note(`These are the newest ${formatCount(maxMoments)} moments.`, output);
    });
  }

  /** The payment, its story, what is next, and the commands that help. */
  private async tell(payment: Payment, history: History): Promise<string> {
    const { formatItem, formatItems } = await import("../output/resource-text.ts");
    const { wrapText } = await import("../output/table.ts");
    const { style, width = Number.POSITIVE_INFINITY, target, serviceTime } = this;
    const nowMs = serviceTime.nowMs();
    const details = () => listPaymentDetails(payment).filter(([label]) => headLabels.has(label));
    const head = formatItem({ ...paymentResource, details }, payment, style);
    const story = formatItems(momentView, history.data, { style, width: this.width, nowMs });
    const due = history.due.flatMap(({ at, text }) =>
      wrapText(`${formatWait(at, nowMs)}: ${escapeControls(text)}`, width),
    );
    // A command stays on one line, so that it can be pasted.
    const help = listHelp(payment, history).flatMap(([aim, command]) =>
      wrapText(`${escapeControls(aim)}:`, width).concat(`  ${command}${target}`),
    );
    const next = [...due, ...help];
    const parts = [head, story, ...(next.length > 0 ? [[style.bold("NEXT"), ...next].join("\n")] : [])]; // prettier-ignore
    return parts.join("\n\n");
  }
}

const headLabels = new Set(["Payment", "Status", "Amount", "Mode", "Card", "Customer"]);

function formatAuthor({ by }: Moment): string {
  if (!by) return "";
  return by.name === null ? by.type : `${by.type} ${by.name}`;
}

/** A future time in words: `In 18 minutes`. */
function formatWait(atSeconds: number, nowMs: number): string {
  const seconds = atSeconds - Math.floor(nowMs / 1000);
  if (seconds <= 0) return "Now";
  const units = [
    ["day", 2 * 86_400, 86_400],
    ["hour", 2 * 3_600, 3_600],
    ["minute", 60, 60],
    ["second", 0, 1],
  ] as const;
  const [unit, , length] = units.find(([, min]) => seconds >= min) ?? units[3];
  const count = Math.floor(seconds / length);
  return `In ${count} ${unit}${count === 1 ? "" : "s"}`;
}

const maxResends = 3;

/** The commands that help with what is due. */
function listHelp({ id }: Payment, { data, due }: History): [aim: string, command: string][] {
  const isDue = (kind: string) => due.some((each) => each.kind === kind);
  const help: [string, string][] = [];
  if (isDue("settlement")) help.push(["To wait for the outcome", `payments get ${id} --wait`]);
  if (isDue("expiry")) help.push(["To end it before", `payments cancel ${id}`]);
  if (isDue("refund")) help.push(["To wait for the refund", `payments refund ${id}`]);
  const tries = data.filter(({ kind }) => kind === "delivered" || kind === "delivery_failed");
  const last = new Map(tries.map((each) => [`${each.event} ${each.endpoint}`, each]));
  const failed = [...last.values()].filter(({ kind }) => kind === "delivery_failed");
  for (const { text, event, endpoint } of failed.slice(-maxResends)) {
    const command = `payments events resend ${event} --endpoint ${endpoint}`;
    help.push([`${text} To send it again now`, command]);
  }
  return help;
}
