import { randomUUID } from "node:crypto";
import { Flags } from "@oclif/core";
import { BaseCommand, type Output } from "../base-command.ts";
import type { CreateHosted, CreatePayment } from "../../client/client.ts";
import { PaymentsError } from "../../client/errors.ts";
import { describedCall, refuseEmbedded } from "../connect.ts";
import type { Payment } from "../../contract/payment.ts";
import { routes } from "../../contract/routes.ts";
import {
  connectionFlags,
  fieldsFlag,
  idempotencyKeyFlag,
  openFlag,
  outputFlags,
  paymentFlags,
  waitFlags,
} from "../flags.ts";
import { durationMs } from "../input/duration.ts";
import { checkedExpectation, disappointment } from "../input/expectation.ts";
import { checkedIdempotencyKey } from "../input/idempotency-key.ts";
import { paymentBody } from "../input/payment-body.ts";
import type { PaymentFlags } from "../input/payment-flags.ts";
import { takerOfInput } from "../input/taker-of-input.ts";
import { interruptible } from "../endings/interruption.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { json } from "../output/json.ts";
import { pageText, waitingText } from "../output/waiting-text.ts";
import { askForPayment } from "../prompts/ask-for-payment.ts";

export default class Create extends BaseCommand {
  static override summary = "Create a payment.";
  static override description = "In a terminal it asks for what is missing.";
  static override examples = [
    "<%= config.bin %> create --amount 4999 --currency eur --test-card visa",
    "<%= config.bin %> create --amount 100 --currency usd --test-card expired-card --expect expired_card",
    "<%= config.bin %> create --data payment.json --json | jq -r .id",
    "<%= config.bin %> create --amount 4999 --currency eur --card-file - < card.json",
    "<%= config.bin %> create --hosted --amount 4999 --currency eur --return-url https://shop.example/thanks --open --wait",
  ];
  static override flags = {
    ...paymentFlags,
    ...openFlag,
    ...waitFlags,
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
    const timeout = flags.timeout ?? (flags.hosted ? "15m" : "30s");
    const timeoutMs = durationMs(timeout, "--timeout");
    const idempotencyKey = checkedIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    const asks = takerOfInput(flags) === undefined && this.canAsk(flags, output);
    const settings = this.settings(flags);
    if (flags.hosted) refuseEmbedded(settings);
    const { mode } = settings;
    let asked = false;
    const ask = async (given: PaymentFlags) => {
      asked = true;
      return await askForPayment(await this.asker(), given, { mode, sends: !flags["dry-run"] });
    };
    const body = await paymentBody(flags, mode, asks ? ask : undefined);
    if (flags["dry-run"]) {
      const route = flags.hosted ? routes.createHosted : routes.createPayment;
      const call = describedCall(settings, route, { body, idempotencyKey });
      await this.show({ value: call, text: () => json(call, { indented: true }) }, output);
      return;
    }

    this.noteTarget(settings, output);
    const waits = flags.wait || expect !== undefined;
    using interruption = interruptible({ asked });
    const { signal } = interruption;
    await this.withClient(flags, settings, async ({ payments }) => {
      const create = flags.hosted ? payments.createHosted : payments.create;
      let payment = await create(body as CreatePayment & CreateHosted, { idempotencyKey, signal });
      try {
        if (flags.open) await this.openPage(payment, output);
        if (waits) {
          this.noteWaiting(payment, timeout, output);
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

  private async openPage({ redirect_url }: Payment, output: Output): Promise<void> {
    if (redirect_url !== null && (await openInBrowser(redirect_url, process.env))) return;
    this.note("No browser could be started: open the page's address yourself.", output);
  }

  /** Nobody could pay without the page's address: in a terminal it is told also beside data. */
  private noteWaiting(payment: Payment, timeout: string, output: Output): void {
    if (payment.status !== "pending") return;
    const { isTTY } = process.stderr;
    const page = pageText(payment);
    if (page !== undefined && isTTY) process.stderr.write(`${page}\n`);
    else if (page !== undefined) this.note(page, output);
    if (isTTY) this.note(waitingText(payment, timeout), output);
  }
}
