import { randomUUID } from "node:crypto";
import { PaymentsError } from "../../client/errors.ts";
import type { Payment } from "../../contract/payment.ts";
import { describeCall } from "../config/connect.ts";
import {
  type PaymentFlags,
  hostedFlags,
  parsePaymentRequest,
  paymentFlags,
  waitFlags,
} from "../flags/payment-request.ts";
import { switchFlag, writeFlags } from "../flags/flags.ts";
import { checkIdempotencyKey } from "../flags/checked-values.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { findStdinFlag } from "../flags/read-input.ts";
import { parseWaitFlags } from "../flags/waiting.ts";
import { watchInterruption } from "../output/interruption.ts";
import { toSafeJson, escapeControls } from "../../runtime/text.ts";
import { embedded } from "../config/profile.ts";
import { refuseEmbedded } from "../config/resolve-settings.ts";
import { BaseCommand, type Output } from "../program/base-command.ts";
import {
  checkReading,
  noteSimulator,
  noteTarget,
  resolveSafeSettings,
  withClient,
} from "../program/connection.ts";
import { notePage, showOutcome } from "../program/show-outcome.ts";
import { type CommandFacts, writeExits, waitExits, promptExits } from "../output/command-facts.ts";

export default class Create extends BaseCommand {
  static override summary = "Create a payment.";
  static override description = "In a terminal it asks for what is missing.";
  static override examples = [
    "payments create --amount 4999 --currency eur --test-card visa",
    "payments create --amount 100 --currency usd --test-card expired-card --expect expired_card",
    "payments create --data payment.json --json | jq -r .id",
    "payments create --amount 4999 --currency eur --card-file - < card.json",
    "payments create --hosted --amount 4999 --currency eur --return-url https://shop.example/thanks --open --wait",
    "payments create --hosted --amount 4999 --currency eur --print-url --wait --json",
  ];
  static override flags = {
    ...paymentFlags,
    ...hostedFlags,
    ...waitFlags("How long to wait. Default: 30s, with --hosted 15m."),
    "dry-run": switchFlag("Print the request, masked, and send nothing."),
    ...writeFlags(paymentResource),
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: { with: "idempotency-key" },
    exits: { ...writeExits, ...waitExits, ...promptExits },
    output: "POST /v1/payments",
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Create);
    const output = this.parseOutput(flags);
    const waiting = parseWaitFlags(flags);
    const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
    const canPrompt = findStdinFlag(flags) === undefined && this.canPrompt(flags, output);
    const settings = await resolveSafeSettings(this, flags, { sends: !flags["dry-run"] });
    if (flags.hosted) refuseEmbedded(settings);
    const { mode } = settings;
    let hasPrompted = false;
    const promptForMissing = async (given: PaymentFlags) => {
      hasPrompted = true;
      const { askForPayment } = await import("../prompts/ask-for-payment.ts");
      return await askForPayment(await this.openPrompter(), given, {
        mode,
        sends: !flags["dry-run"],
        place: this.place?.text,
      });
    };
    const request = await parsePaymentRequest(
      flags,
      mode,
      canPrompt ? promptForMissing : undefined,
    );
    if (flags["dry-run"]) {
      const endpoint = request.hosted ? "POST /v1/payments/hpp" : "POST /v1/payments";
      const call = { body: request.body, idempotencyKey };
      const described = await describeCall(settings, endpoint, call); // masked
      const text = () => toSafeJson(described, { indented: true });
      await this.show({ value: described, text }, output);
      return;
    }

    noteTarget(this, settings, output);
    noteSimulator(this, settings, output);
    const callsRealNetwork = mode === "live" && settings.baseUrl !== embedded && !request.hosted;
    if (callsRealNetwork && waiting.waits && process.stderr.isTTY)
      this.note("Asking the bank …", output);
    using interruption = watchInterruption({ hasPrompted });
    const write = { idempotencyKey, signal: interruption.signal };
    await withClient(this, flags, settings, async (client) => {
      const { payments } = client;
      if (waiting.waits) await checkReading(client, interruption.signal);
      const created = request.hosted
        ? await payments.createHosted(request.body, write)
        : await payments.create(request.body, write);
      noteSimulator(this, settings, output);
      const announce = async () => {
        if (flags["print-url"])
          process.stderr.write(`${escapeControls(created.redirect_url ?? "")}\n`);
        if (flags.open) await this.openPage(created, output);
        if (waiting.waits && !flags["print-url"]) notePage(this, created, output);
      };
      try {
        const { signal } = interruption;
        await showOutcome(this, client, created, { waiting, output, signal, announce });
      } catch (error) {
        // A script that repeats the command with this key gets this payment, not a second one.
        if (error instanceof PaymentsError) error.idempotencyKey = idempotencyKey;
        throw error;
      }
    });
  }

  private async openPage({ redirect_url }: Payment, output: Output): Promise<void> {
    const { openInBrowser } = await import("../output/open-in-browser.ts");
    if (redirect_url !== null && (await openInBrowser(redirect_url, process.env))) return;
    this.note("No browser could be started: open the page's address yourself.", output);
  }
}
