import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../base/base-command.ts";
import { PaymentsError } from "../../client/errors.ts";
import { eventTypes, type EventType } from "../../contract/event-values.ts";
import { testCards } from "../../contract/known-test-cards.ts";
import { usageError } from "../errors/command-error.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { paymentFlags } from "../parse/payment-flags.ts";
import { readFlags, textFlag } from "../parse/flags.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { parsePaymentRequest } from "../parse/payment-request.ts";
import { unmetExpectation, parseWaitFlags } from "../parse/waiting.ts";
import { refuseEmbedded, refuseLive } from "../config/resolve-settings.ts";

const declines = testCards.map(({ outcome }) => outcome).filter((each) => each !== "succeeded");

export default class Trigger extends BaseCommand {
  static override summary = "Make a test payment that ends with the event you name.";
  static override description =
    "A payment that stays pending is one with a page, which needs a running service.";
  static override examples = [
    "payments trigger payment.succeeded",
    "payments trigger payment.failed --decline insufficient_funds",
    "payments trigger payment.refunded --json | jq -r .id",
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
    amount: { ...paymentFlags.amount, default: "4999" },
    currency: { ...paymentFlags.currency, default: "eur" },
    timeout: textFlag("How long to wait for the outcome.", "<duration>", { default: "30s" }),
    ...readFlags(paymentResource),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Trigger);
    const output = this.parseOutput(flags);
    const type = args.event as EventType;
    if (flags.decline !== undefined && type !== "payment.failed") {
      throw usageError("--decline is allowed only with payment.failed.");
    }
    const expect = parseOutcome(type, flags.decline);
    const waiting = parseWaitFlags({ wait: false, expect, timeout: flags.timeout });
    const settings = await this.resolveSettings(flags);
    refuseLive(settings, "This makes test payments");
    if (expect === undefined) refuseEmbedded(settings);
    const { amount, currency } = flags;
    const description = `payments trigger ${type}`;
    const flow = expect === undefined ? { hosted: true } : { "test-card": findTestCard(expect) };
    const given = { amount, currency, description, ...flow };
    const request = await parsePaymentRequest(given, settings.mode);
    this.printTarget(settings, output);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const payment = await this.withClient(flags, settings, async ({ payments }) => {
      if (request.hosted) return await payments.createHosted(request.body, { signal });
      const created = await payments.create(request.body, { signal });
      const settled = await payments.settled(created, waiting.timeoutMs, { signal });
      return expect === "refunded" ? await payments.refund(settled.id, { signal }) : settled;
    }).catch((error: unknown) => {
      // A second test payment does no harm, so the error names no idempotency key to retry with.
      if (error instanceof PaymentsError) error.outcomeUnknown = false;
      throw error;
    });
    await this.showPayment(payment, output);
    const failure = unmetExpectation(payment, waiting);
    if (failure) throw failure;
  }
}

/** The outcome that leads to the event; undefined: the payment stays pending. */
function parseOutcome(type: EventType, decline = "generic_decline"): string | undefined {
  if (type === "payment.pending") return undefined;
  return type === "payment.failed" ? decline : type.slice("payment.".length);
}

/** The test card whose payment has this outcome, or can be refunded. */
function findTestCard(outcome: string): string | undefined {
  const cardOutcome = outcome === "refunded" ? "succeeded" : outcome;
  return testCards.find((card) => card.outcome === cardOutcome)?.name;
}
