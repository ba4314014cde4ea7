import { randomUUID } from "node:crypto";
import { Flags } from "@oclif/core";
import { BaseCommand, type Output } from "../base-command.ts";
import type { CreatePayment } from "../client/client.ts";
import { PaymentsError } from "../client/errors.ts";
import { describedCall } from "../connect.ts";
import type { Payment } from "../contract/payment.ts";
import { routes } from "../contract/routes.ts";
import { usageError } from "../exit-codes.ts";
import {
  connectionFlags,
  fieldsFlag,
  idempotencyKeyFlag,
  outputFlags,
  paymentFlags,
} from "../flags.ts";
import { durationMs } from "../input/duration.ts";
import { checkedExpectation, disappointment } from "../input/expectation.ts";
import { checkedIdempotencyKey } from "../input/idempotency-key.ts";
import { paymentBody } from "../input/payment-body.ts";
import type { PaymentFlags } from "../input/payment-flags.ts";
import { interruptible } from "../interruption.ts";
import { json } from "../output/json.ts";
import { askForPayment } from "../prompts/ask-for-payment.ts";

export default class Create extends BaseCommand {
  static override summary = "Create a payment.";
  static override description = "In a terminal it asks for what is missing.";
  static override examples = [
    "<%= config.bin %> create --amount 4999 --currency eur --test-card visa",
    "<%= config.bin %> create --amount 100 --currency usd --test-card expired-card --expect expired_card",
    "<%= config.bin %> create --data payment.json --json | jq -r .id",
    "<%= config.bin %> create --amount 4999 --currency eur --card-file - < card.json",
  ];
  static override flags = {
    ...paymentFlags,
    wait: Flags.boolean({ summary: "Wait until the payment is no longer pending." }),
    expect: Flags.string({
      summary: "Wait, and succeed exactly when this is the outcome.",
      helpValue: "<outcome>",
    }),
    timeout: Flags.string({
      summary: "How long to wait.",
      default: "30s",
      helpValue: "<duration>",
    }),
    "dry-run": Flags.boolean({ summary: "Print the request, masked, and send nothing." }),
    ...idempotencyKeyFlag,
    ...fieldsFlag,
    ...outputFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Create);
    const output = this.outputOf(flags);
    const expect = checkedExpectation(flags.expect);
    const timeoutMs = durationMs(flags.timeout, "--timeout");
    const idempotencyKey = checkedIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    const asks = takerOfInput(flags) === undefined && this.canAsk(flags, output);
    const settings = this.settings(flags);
    const { mode } = settings;
    let asked = false;
    const ask = async (given: PaymentFlags) => {
      asked = true;
      return await askForPayment(await this.asker(), given, { mode, sends: !flags["dry-run"] });
    };
    const body = await paymentBody(flags, mode, asks ? ask : undefined);
    if (flags["dry-run"]) {
      const call = describedCall(settings, routes.createPayment, { body, idempotencyKey });
      await this.show({ value: call, text: () => json(call, { indented: true }) }, output);
      return;
    }

    this.noteTarget(settings, output);
    const waits = flags.wait || expect !== undefined;
    using interruption = interruptible({ asked });
    const { signal } = interruption;
    await this.withClient(flags, settings, async ({ payments }) => {
      let payment = await payments.create(body as CreatePayment, { idempotencyKey, signal });
      try {
        if (waits) {
          this.noteWaiting(payment, flags.timeout, output);
          payment = await payments.settled(payment, timeoutMs, signal);
        }
      } catch (error) {
        // A script that runs the command again, with this key, gets this payment and no second one.
        if (error instanceof PaymentsError) error.idempotencyKey = idempotencyKey;
        throw error;
      } finally {
        // The payment exists, whatever became of waiting for it.
        await this.showPayment(payment, output);
      }
      const failure = disappointment(payment, { wait: flags.wait, expect });
      if (failure) throw failure;
    });
  }

  private noteWaiting({ id, status }: Payment, timeout: string, output: Output): void {
    if (status !== "pending" || !process.stderr.isTTY) return;
    this.note(`Waiting up to ${timeout} for the outcome of ${id} …`, output);
  }
}

/** The flag that reads standard input, which can hold one thing. */
function takerOfInput(flags: Record<string, unknown>): string | undefined {
  const taking = ["api-key-file", "card-file", "data"].filter((name) => flags[name] === "-");
  if (taking.length < 2) return taking[0];
  throw usageError(`Standard input can be only one of --${taking.join(" and --")}.`);
}
