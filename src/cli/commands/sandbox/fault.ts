import type { FaultInput } from "../../../contract/sandbox.ts";
import { usageError } from "../../output/command-error.ts";
import { integerFlag, requiredArg, sandboxFlags, textFlag } from "../../flags/flags.ts";
import { sandboxFaultView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withSandbox } from "../../program/connection.ts";
import { type CommandFacts, readExits } from "../../output/command-facts.ts";

export default class SandboxFault extends BaseCommand {
  static override summary = "Let the next matching requests go wrong.";
  static override description =
    "<on> is a method and a path of the API, * for any, webhooks, or network for live payments. Requests: lost-answer, disconnect, delay, status, in-use. Webhooks: duplicate, reorder, delay, lost-answer. Network: processing, unknown, decline, refund-declined.";
  static override examples = [
    'payments sandbox fault "POST /v1/payments" lost-answer',
    'payments sandbox fault "*" status --status 503 --times 2 --after 1',
    "payments sandbox fault webhooks delay --for 10m",
    "payments sandbox fault network decline --code insufficient_funds",
  ];
  static override args = {
    on: requiredArg('Which requests, such as "POST /v1/payments/{id}/refund".'),
    do: requiredArg("What happens to them."),
  };
  static override flags = {
    times: integerFlag("How many of them.", "<count>", { min: 1, default: 1 }),
    after: integerFlag("How many pass before.", "<count>", { min: 0, default: 0 }),
    for: textFlag("How long a delay takes.", "<duration>"),
    status: integerFlag("The status of the answer: 429, 500 or 503.", "<status>"),
    code: textFlag("The decline code.", "<code>"),
    ...sandboxFlags(),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "never",
    exits: readExits,
    output: { object: null, fields: sandboxFaultView.fields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SandboxFault);
    const output = this.parseOutput(flags);
    const body = await parseFault(args, flags);
    const fault = await withSandbox(this, flags, async (sandbox) => sandbox.fault(body));
    await this.showOne(sandboxFaultView, fault, output);
  }
}

type Typed = { on: string; do: string };
type FaultFlags = {
  times: number;
  after: number;
  for?: string | undefined;
  status?: number | undefined;
  code?: string | undefined;
};

/** The flag or argument of each field, as a message names it. */
const names: Record<string, string> = { on: "<on>", do: "<do>" };

/** Parses a fault by the contract; a word of it may be typed with hyphens. Errors: what the contract refuses. */
async function parseFault(typed: Typed, flags: FaultFlags): Promise<FaultInput> {
  const { faultBody } = await import("../../../contract/sandbox.ts");
  const body = {
    on: typed.on.trim(),
    do: typed.do.replaceAll("-", "_"),
    times: flags.times,
    after: flags.after,
    for: flags.for,
    status: flags.status,
    code: flags.code?.replaceAll("-", "_"),
  };
  const { error } = faultBody.safeParse(body);
  if (!error) return body as FaultInput;
  const [issue] = error.issues;
  const field = String(issue?.path[0] ?? "do");
  throw usageError(`${names[field] ?? `--${field}`} ${issue?.message}.`);
}
