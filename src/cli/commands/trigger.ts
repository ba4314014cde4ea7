import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../base/base-command.ts";
import type { PaymentsClient } from "../../client/client.ts";
import { PaymentsError } from "../../client/errors.ts";
import { eventTypes, type EventType } from "../../contract/field-values.ts";
import { testCards } from "../../contract/card.ts";
import type { Payment } from "../../contract/payment.ts";
import { routes } from "../../contract/routes.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { triggeredFlags } from "../parse/payment-flags.ts";
import { integerFlag, textFlag } from "../parse/flag-kinds.ts";
import { readFlags } from "../parse/flags.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { findStdinFlag } from "../parse/read-input.ts";
import { parseTriggerRequest } from "../parse/trigger-request.ts";
import { unmetExpectation, parseWaitFlags } from "../parse/waiting.ts";
import { refuseEmbedded, refuseLive } from "../config/resolve-settings.ts";
import { repeatAtOnce } from "../../runtime/promises.ts";

const declines = testCards.map(({ outcome }) => outcome).filter((each) => each !== "succeeded");
const maxTimes = 1_000;
const maxAtOnce = 8;

export default class Trigger extends BaseCommand {
  static override summary = "Make a test payment that ends with the event you name.";
  static override description =
    "What you leave out is filled in, so that the payment ends with this event. A payment that stays pending is one with a page, which needs a running service.";
  static override examples = [
    "payments trigger payment.succeeded",
    "payments trigger payment.failed --decline insufficient_funds",
    "payments trigger payment.refunded --json | jq -r .id",
    "payments trigger payment.succeeded --email ada@example.com --metadata order_id=1001",
    "payments trigger payment.succeeded --times 20 --json | jq -r '.data[].id'",
  ];
  static override args = {
    event: Args.string({
      description: `The event that it ends with: ${eventTypes.join(", ")}.`,
      options: eventTypes,
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    decline: Flags.option({
      summary: "Why a payment fails. Default: generic_decline.",
      options: declines,
      helpValue: "<code>",
    })(),
    times: integerFlag("How many payments to make; prints a list.", "<count>", {
      min: 1,
      max: maxTimes,
    }),
    ...triggeredFlags,
    timeout: textFlag("How long to wait for each outcome.", "<duration>", { default: "30s" }),
    ...readFlags(paymentResource),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Trigger);
    const output = this.parseOutput(flags);
    findStdinFlag(flags);
    const settings = await this.resolveSettings(flags);
    refuseLive(settings, "This makes test payments");
    const type = args.event as EventType;
    if (type === "payment.pending") refuseEmbedded(settings);
    const { request, expected } = await parseTriggerRequest(type, flags);
    const waiting = parseWaitFlags({ wait: false, expect: expected, timeout: flags.timeout });
    this.printTarget(settings, output);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const make = async ({ payments }: PaymentsClient) => {
      if (request.hosted) return await payments.createHosted(request.body, { signal });
      const created = await payments.create(request.body, { signal });
      const settled = await payments.settled(created, waiting.timeoutMs, { signal });
      const refunds = expected === "refunded" && settled.status === "succeeded";
      return refunds ? await payments.refund(settled.id, { signal }) : settled;
    };
    const { made, error } = await this.withClient(flags, settings, async (client) =>
      repeatAtOnce(async () => make(client), { times: flags.times ?? 1, maxAtOnce }),
    );
    const [first] = made;
    if (flags.times !== undefined) await this.showMany(paymentResource, toList(made), output);
    else if (first) await this.showPayment(first, output);
    // A second test payment does no harm, so the error names no idempotency key to retry with.
    if (error instanceof PaymentsError) error.idempotencyKey = undefined;
    const failure =
      error ?? made.map((each) => unmetExpectation(each, waiting, this.target)).find(Boolean);
    if (failure) throw failure as Error;
  }
}

/** The payments as the API lists them: newest first. */
function toList(payments: readonly Payment[]) {
  const data = payments.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return { object: "list" as const, url: routes.listPayments.path, data, has_more: false };
}
