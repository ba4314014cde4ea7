import { randomUUID } from "node:crypto";
import { Flags } from "@oclif/core";
import { BaseCommand } from "../base-command.ts";
import type { CreatePayment } from "../client/client.ts";
import { routes } from "../contract/routes.ts";
import { usageError } from "../exit-codes.ts";
import { connectionFlags, idempotencyKeyFlag, jsonFlag, paymentFlags } from "../flags.ts";
import { durationMs } from "../input/duration.ts";
import { checkedExpectation, disappointment } from "../input/expectation.ts";
import { checkedIdempotencyKey } from "../input/idempotency-key.ts";
import { paymentBody } from "../input/payment-body.ts";
import { json } from "../output/json.ts";
import { paymentText } from "../output/payment-text.ts";

export default class Create extends BaseCommand {
  static override summary = "Create a payment.";
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
    ...jsonFlag,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Create);
    const expect = checkedExpectation(flags.expect);
    const timeoutMs = durationMs(flags.timeout, "--timeout");
    const idempotencyKey = checkedIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    refuseSharedInput(flags);
    const settings = this.settings(flags);
    const body = await paymentBody(flags, settings.mode);
    if (flags["dry-run"]) {
      const call = this.described(settings, routes.createPayment, { body, idempotencyKey });
      this.show(call, flags, () => json(call, { indented: true }));
      return;
    }

    this.noteSimulator(settings, flags);
    const waits = flags.wait || expect !== undefined;
    await this.withClient(flags, settings, async ({ payments }) => {
      let payment = await payments.create(body as CreatePayment, { idempotencyKey });
      try {
        if (waits) payment = await payments.settled(payment, timeoutMs);
      } finally {
        // The payment exists, whatever became of waiting for it.
        this.show(payment, flags, () => paymentText(payment, this.style));
      }
      const failure = disappointment(payment, { wait: flags.wait, expect });
      if (failure) throw failure;
    });
  }
}

/** Standard input can hold one thing. */
function refuseSharedInput(flags: Record<string, unknown>): void {
  const taking = ["api-key-file", "card-file", "data"].filter((name) => flags[name] === "-");
  if (taking.length < 2) return;
  throw usageError(`Standard input can be only one of --${taking.join(" and --")}.`);
}
