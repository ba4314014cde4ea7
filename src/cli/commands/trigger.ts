import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { PaymentsClient } from "../../client/client.ts";
import { PaymentsError } from "../../client/errors.ts";
import { type EventType, type Permission, eventTypes } from "../../contract/field-values.ts";
import { testCards } from "../../contract/card.ts";
import type { Payment } from "../../contract/payment.ts";
import { repeatAtOnce } from "../../runtime/promises.ts";
import { BaseCommand } from "../program/base-command.ts";
import { refuseEmbedded, refuseLive } from "../config/resolve-settings.ts";
import { usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { integerFlag, readFlags, textFlag } from "../flags/flags.ts";
import {
  type PaymentFlags,
  type PaymentRequest,
  cardSources,
  parsePaymentRequest,
  paymentFlags,
} from "../flags/payment-request.ts";
import { findStdinFlag } from "../flags/read-input.ts";
import { parseWaitFlags, unmetExpectation } from "../flags/waiting.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { checkGrant, noteTarget, resolveSafeSettings, withClient } from "../program/connection.ts";
import { type CommandFacts, writeExits, waitExits } from "../output/command-facts.ts";

const declines = testCards.map(({ outcome }) => outcome).filter((each) => each !== "succeeded");
const maxTimes = 1_000;
const maxAtOnce = 8;

const {
  hosted: _,
  "return-url": returnUrl,
  "expires-in": expiresIn,
  ...directFlags
} = paymentFlags;

/** The flags of `payments trigger`, which chooses itself between a card and a page. */
const triggeredFlags = {
  ...directFlags,
  amount: textFlag("Amount in minor units: 4999 is 49.99. Default: 4999.", "<minor units>"),
  currency: textFlag("The currency, in small or capital letters. Default: eur.", "<code>"),
  data: textFlag("The body as JSON; `-` is standard input. What it lacks is filled in.", "<path>"),
  "return-url": { ...returnUrl, dependsOn: [] },
  "expires-in": { ...expiresIn, dependsOn: [] },
};

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
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "never",
    exits: {
      ...writeExits,
      ...waitExits,
      not_as_expected: "the payment did not end with the event",
    },
    output: "POST /v1/payments",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Trigger);
    const output = this.parseOutput(flags);
    findStdinFlag(flags);
    const settings = await resolveSafeSettings(this, flags);
    refuseLive(settings, "This makes test payments");
    const type = args.event as EventType;
    if (type === "payment.pending") refuseEmbedded(settings);
    const { request, expected } = await parseTriggerRequest(type, flags);
    const waiting = parseWaitFlags({ wait: false, expect: expected, timeout: flags.timeout });
    noteTarget(this, settings, output);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    // Each as it was last seen, also where its next step fails.
    const made = new Map<string, Payment>();
    const keep = (payment: Payment) => made.set(payment.id, payment);
    const make = async ({ payments }: PaymentsClient) => {
      if (request.hosted) {
        keep(await payments.createHosted(request.body, { signal }));
        return;
      }
      const created = await payments.create(request.body, { signal });
      keep(created);
      const settled = await payments.settled(created, waiting.timeoutMs, { signal });
      keep(settled);
      const isRefunded = expected === "refunded" && settled.status === "succeeded";
      if (isRefunded) keep(await payments.refund(settled.id, { signal }));
    };
    const refunds = expected === "refunded" ? request.body.amount : undefined;
    const permissions: Permission[] = ["create"];
    if (expected !== undefined) permissions.push("read");
    if (expected === "refunded") permissions.push("refund");
    const error = await withClient(this, flags, settings, async (client) => {
      await checkGrant(client, { permissions, refunds }, { nothing: "Nothing was sent.", signal });
      return await repeatAtOnce(async () => make(client), { times: flags.times ?? 1, maxAtOnce });
    });
    const payments = [...made.values()];
    const [first] = payments;
    if (flags.times !== undefined) await this.showMany(paymentResource, toList(payments), output);
    else if (first) await this.showPayment(first, output);
    // A second test payment does no harm, so the error names no idempotency key to retry with.
    if (error instanceof PaymentsError) error.idempotencyKey = undefined;
    const failure =
      error ?? payments.map((each) => unmetExpectation(each, waiting, this.target)).find(Boolean);
    if (failure) throw failure as Error;
  }
}

/** The payments as the API lists them: newest first. */
function toList(payments: readonly Payment[]) {
  const data = payments.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return { object: "list" as const, url: "/v1/payments", data, has_more: false };
}

/** A request whose payment ends with an event, and its expected outcome; undefined: it stays pending. */
type TriggerRequest = { request: PaymentRequest; expected: string | undefined };

/**
 * Builds the request of `payments trigger`. What the flags or the body in `--data` leave out is chosen so that the
 * payment ends with the event: the card above all.
 */
async function parseTriggerRequest(
  type: EventType,
  { decline, ...flags }: PaymentFlags & { decline?: string | undefined },
): Promise<TriggerRequest> {
  if (decline !== undefined && type !== "payment.failed") {
    throw usageError("--decline is allowed only with payment.failed.");
  }
  const hosted = type === "payment.pending";
  const pageFlag = hostedPageFlags.find((name) => flags[name] !== undefined);
  if (pageFlag !== undefined && !hosted) {
    throw usageError(`--${pageFlag} is allowed only with payment.pending, which has a page.`);
  }
  const amount = "4999";
  const currency = "eur";
  const description = `payments trigger ${type}`;
  const testCard = findTestCard(type, decline);
  const hasCard = cardSources.some((name) => flags[name] !== undefined);
  const card = hosted || hasCard ? {} : { "test-card": testCard };
  const defaults = { amount, currency, description, hosted, ...card };
  const expectedOf = (isChosen: boolean) => parseOutcome(type, decline, isChosen);
  if (flags.data === undefined) {
    const request = await parsePaymentRequest({ ...defaults, ...flags }, "test");
    return { request, expected: expectedOf(!hasCard) };
  }
  const { body: given } = await parsePaymentRequest({ ...flags, hosted }, "test");
  const { body } = await parsePaymentRequest(defaults, "test");
  const request = { hosted, body: { ...body, ...given } } as PaymentRequest;
  return { request, expected: expectedOf(!("card" in given)) };
}

const hostedPageFlags = ["return-url", "expires-in"] as const;

/** The outcome that leads to the event. With a card that the user has chosen, any decline will do. */
function parseOutcome(
  type: EventType,
  decline: string | undefined,
  isChosenHere: boolean,
): string | undefined {
  if (type === "payment.pending") return undefined;
  const status = type.slice("payment.".length);
  if (status !== "failed") return status;
  return decline ?? (isChosenHere ? defaultDecline : status);
}

const defaultDecline = "generic_decline";

/** The test card whose payment has this outcome, or can be refunded. */
function findTestCard(type: EventType, decline = defaultDecline): string | undefined {
  const outcome = type === "payment.failed" ? decline : "succeeded";
  return testCards.find((card) => card.outcome === outcome)?.name;
}
