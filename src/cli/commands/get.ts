import type { PaymentsClient } from "../../client/client.ts";
import { ApiError, ConnectionError } from "../../client/errors.ts";
import type { Payment } from "../../contract/payment.ts";
import { isIdEnd, minIdEnd } from "../../contract/search-words.ts";
import { withTimeout } from "../../runtime/promises.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { checkId, describeSearch } from "../flags/checked-values.ts";
import { parseDuration, parseWaitFlags } from "../flags/waiting.ts";
import { readFlags, requiredArg } from "../flags/flags.ts";
import { waitFlags } from "../flags/payment-request.ts";
import { BaseCommand } from "../program/base-command.ts";
import { withReader } from "../program/connection.ts";
import { notePage, showOutcome } from "../program/show-outcome.ts";
import { describeReading, readExits, waitExits } from "../output/command-facts.ts";

export default class Get extends BaseCommand {
  static override summary = "Show one payment, now or once its outcome is known.";
  static override examples = [
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments get 0123456789ab",
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab --json | jq -r .status",
    "payments get pay_0199c5a8-7f3e-7abc-9def-0123456789ab --expect succeeded --timeout 2m",
  ];
  static override args = {
    id: requiredArg(
      `The id of a payment, such as ${paymentResource.idForm}, or its last ${minIdEnd} characters or more.`,
    ),
  };
  static override flags = {
    ...waitFlags("How long to wait. Default: 30s."),
    ...readFlags(paymentResource),
  };
  static facts = describeReading("GET /v1/payments/:id", { ...readExits, ...waitExits });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    const output = this.parseOutput(flags);
    const waiting = parseWaitFlags(flags);
    // One attempt has its own time; with its retries it must not pass the time to wait.
    const requestTimeoutMs = parseDuration(flags["request-timeout"], "--request-timeout");
    const end = isIdEnd(args.id) ? args.id.toLowerCase() : undefined;
    const id = end ?? checkId(paymentResource, args.id, "<id>", describeSearch(args.id));
    // A payment that was read before Ctrl-C is still printed; a single read just ends.
    using interruption = waiting.waits ? watchInterruption({ hasPrompted: false }) : undefined;
    const signal = interruption?.signal;
    await withReader(this, flags, async (client) => {
      const reading =
        end === undefined
          ? client.payments.retrieve(id, { signal })
          : findByEnd(client, end, signal);
      const payment = waiting.waits
        ? await withTimeout(reading, Math.max(waiting.timeoutMs, requestTimeoutMs), throwLate)
        : await reading;
      const announce = async () => (waiting.waits ? notePage(this, payment, output) : undefined);
      await showOutcome(this, client, payment, { waiting, output, signal, announce });
    });
  }
}

const maxListed = 10;
/** An order may have the same digits as the end of an id. */
const maxSearched = 1_000;

/** The payment whose id ends so. Errors: not_found; usage where several do, and where a service cannot search. */
async function findByEnd(
  { payments }: PaymentsClient,
  end: string,
  signal: AbortSignal | undefined,
): Promise<Payment> {
  const found: Payment[] = [];
  let isWhole = true;
  try {
    for await (const page of payments.pages({ search: end }, maxSearched, { signal })) {
      found.push(...page.data.filter(({ id }) => id.endsWith(end)));
      isWhole = !page.has_more;
      if (found.length > maxListed) break;
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "parameter_unknown")) throw error;
    throw usageError("This service finds a payment by its whole id alone. Give the whole id.");
  }
  const [payment, ...others] = found;
  const isAmongMany = !isWhole && found.length <= maxListed;
  if (isAmongMany) throw usageError(`Too many payments have ${end} among their words.`, moreHint);
  if (payment && others.length === 0) return payment;
  if (payment === undefined) {
    throw new CommandError("not_found", `No payment has an id that ends in ${end}.`, modeHint);
  }
  const listed = found.slice(0, maxListed).map(({ id }) => id);
  const ids = [...listed, ...(found.length > maxListed ? ["more"] : [])].join(", ");
  throw usageError(`Several payments have this at the end of their ids: ${ids}.`, moreHint);
}

const moreHint = "Give more of the id.";
const modeHint = "payments mode shows the current mode; payments list shows the newest payments.";

function throwLate(): never {
  throw new ConnectionError("The service did not answer in the time to wait.", undefined);
}
