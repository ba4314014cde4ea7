import * as Args from "@oclif/core/args";
import type { OptionFlag } from "@oclif/core/interfaces";
import type { PaymentsClient } from "../../client/client.ts";
import { CheckoutError } from "../../client/errors.ts";
import type { Payment } from "../../contract/payment.ts";
import { refuseEmbedded, refuseLive } from "../config/resolve-settings.ts";
import { usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { checkId } from "../flags/checked-values.ts";
import { readFlags } from "../flags/flags.ts";
import { challengeFlag, paymentFlags, waitFlags } from "../flags/payment-request.ts";
import { parseWaitFlags } from "../flags/waiting.ts";
import { BaseCommand } from "../program/base-command.ts";
import { checkGrant, noteTarget, resolveSafeSettings, withClient } from "../program/connection.ts";
import { showOutcome } from "../program/show-outcome.ts";
import { type CommandFacts, readExits, waitExits } from "../output/command-facts.ts";

export default class Pay extends BaseCommand {
  static override summary = "Pay on a payment page with a test card, as its customer does.";
  static override description =
    "It opens the page, sends its form and decides the bank's challenge. Test mode only, on a running service.";
  static override examples = [
    "payments pay pay_0199c5a8-7f3e-7abc-9def-0123456789ab --test-card visa",
    "payments pay http://127.0.0.1:8402/pay/1f2e3d0K9yW7ZkQx4bT6mR2sVhLc --test-card visa --wait",
    "payments pay pay_0199c5a8-7f3e-7abc-9def-0123456789ab --test-card authentication-required --challenge decline --expect authentication_required",
  ];
  static override args = {
    page: Args.string({
      description: "The payment, by its id, or by the address of its page.",
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    "test-card": { ...paymentFlags["test-card"], required: true } as OptionFlag<string>,
    ...challengeFlag,
    ...waitFlags("How long to wait. Default: 30s."),
    ...readFlags(paymentResource),
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "always",
    exits: {
      ...readExits,
      ...waitExits,
      conflict: "the page is paid, canceled, expired or being processed",
    },
    output: "GET /v1/payments/:id",
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Pay);
    const output = this.parseOutput(flags);
    const waiting = parseWaitFlags(flags);
    const isUrl = /^https?:/i.test(args.page);
    const page = isUrl ? args.page : checkId(paymentResource, args.page, "<page>");
    const settings = await resolveSafeSettings(this, flags);
    refuseLive(settings, "This pays with test cards");
    refuseEmbedded(settings);
    noteTarget(this, settings, output);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const options = { testCard: flags["test-card"], challenge: flags.challenge, signal };
    await withClient(this, flags, settings, async (client) => {
      const { checkout, payments } = client;
      const open = isUrl
        ? await findPayment(checkout, page, settings.baseUrl)
        : await payments.retrieve(page, { signal });
      // A page asks its customer for no key, so the service refuses nobody here.
      await checkGrant(
        client,
        { permissions: ["create"] },
        { nothing: "Nothing was paid.", signal },
      );
      const paid = await checkout.pay(open, options);
      await showOutcome(this, client, paid, { waiting, output, signal });
    });
  }
}

/** Finds the payment of a page. Errors: the page is another service's. */
async function findPayment(
  checkout: PaymentsClient["checkout"],
  url: string,
  baseUrl: string,
): Promise<Payment> {
  return await checkout.findPayment(url).catch((error: unknown) => {
    const isMissing = error instanceof CheckoutError && error.reason === "missing";
    if (!isMissing || URL.parse(url)?.origin === new URL(baseUrl).origin) throw error;
    throw usageError(
      `The page is not one of the service at ${baseUrl}.`,
      "Name the page's own service with --base-url, and use a key of that service.",
    );
  });
}
