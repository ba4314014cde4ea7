import { Command } from "@oclif/core/command";
import type { Input, ParserOutput } from "@oclif/core/interfaces";
import type { PaymentsClient } from "../../client/client.ts";
import { hasNoResponse, PaymentsError } from "../../client/errors.ts";
import { networkHeader, sandboxClockHeader, simulatorName } from "../../contract/headers.ts";
import type { Payment } from "../../contract/payment.ts";
import { refuseBlankSettings, refuseUnclearSwitches } from "../config/blank-settings.ts";
import { connect, type ConnectionFlags } from "../config/connect.ts";
import {
  describeService,
  embedded,
  resolveSettings,
  type SettingFlags,
  type Settings,
} from "../config/resolve-settings.ts";
import {
  assertSafeTransport,
  describeUnsafeTransport,
  type TransportFlags,
} from "../config/transport-security.ts";
import { createServiceTime } from "../config/service-time.ts";
import { usageError, writeFailure } from "../errors/command-error.ts";
import { hearSignals } from "../errors/interruption.ts";
import { listFields, pickFields } from "../../runtime/records.ts";
import { closedPipe, writeOutput } from "../output/closed-pipe.ts";
import { formats, render, type Format, type Renderable } from "../output/rendered.ts";
import { paymentResource } from "../output/payment-resource.ts";
import type { RecordName, View } from "../output/resource.ts";
import { getStyle, wantsPlainScreen } from "../output/style.ts";
import { parseFields } from "../flags/checked-values.ts";
import { globalFlags } from "../flags/flags.ts";
import { type ParsedTokens, parseTyped, repeatTarget } from "../flags/typed-values.ts";
import { isAge } from "../flags/time.ts";
import type { Prompter } from "../prompts/prompter.ts";

type Values = Record<string, unknown>;

export type OutputFlags = {
  json?: boolean | undefined;
  output?: string | undefined;
  fields?: string | undefined;
  yes?: boolean | undefined;
};

/** The requested format and fields. `isQuiet`: nobody is there to read notes, as `--yes` with a data format says. */
export type Output = { format: Format; fields?: string[] | undefined; isQuiet?: boolean };

const inWords: Output = { format: "table" };

/** The base of every command: settings, a client for them, prompts and output. */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  protected readonly style = getStyle("stdout");
  protected readonly errorStyle = getStyle("stderr");

  /** Columns of the terminal; undefined in a pipe, and where the terminal does not know. */
  protected readonly width = process.stdout.columns || undefined;

  /** The time of the service that the command uses, which ages are counted from. */
  protected readonly serviceTime = createServiceTime();

  /** The flags and words that the user typed, once they are parsed. */
  typed: ParsedTokens = [];

  /** Whether a response has said that the service is a sandbox. */
  protected isSandbox = false;

  /** Whether a response has named the simulator as the network of live payments. */
  private isSimulated = false;
  private isSimulatorNoted = false;

  /** Parses the command line, and refuses flags and variables that are set but empty. */
  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const parsed = await parseTyped(options, async (open) => super.parse(open, argv));
    refuseBlankSettings(parsed.flags, process.env);
    refuseUnclearSwitches(options.flags ?? {}, parsed.raw, process.env);
    this.typed = parsed.raw;
    return parsed;
  }

  /** `sends`: whether the key will be sent; then an unsafe transport is refused before any prompt. */
  protected async resolveSettings(
    flags: SettingFlags & TransportFlags & OutputFlags,
    { sends = true, publishedKey }: { sends?: boolean; publishedKey?: string } = {},
  ): Promise<Settings> {
    const options = publishedKey === undefined ? {} : { publishedKey };
    const settings = await resolveSettings(flags, process.env, options);
    if (sends) this.checkTransport(settings, flags);
    return settings;
  }

  /**
   * Refuses a transport on which others could read the key, and warns of one that is not safe. A
   * machine that reads standard error is not warned: for it that stays empty.
   */
  protected checkTransport(
    settings: Pick<Settings, "baseUrl" | "mode">,
    flags: TransportFlags & OutputFlags,
  ): void {
    assertSafeTransport(settings, flags, process.env);
    const warning = describeUnsafeTransport(settings, process.env);
    if (warning === undefined) return;
    if (!process.stderr.isTTY && !this.isHumanOutput(this.parseOutput(flags))) return;
    process.stderr.write(`${this.errorStyle.yellow.bold("Warning:")} ${warning}\n`);
  }

  /** Runs `work` with a client for the settings, and always closes the client. */
  protected async withClient<T>(
    flags: ConnectionFlags,
    settings: Settings,
    work: (client: PaymentsClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect(settings, flags, this.config.root, (headers) => {
      this.serviceTime.see(headers);
      this.isSandbox ||= headers[sandboxClockHeader] !== undefined;
      this.isSimulated ||= headers[networkHeader] === simulatorName;
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  /**
   * Parses flags whose ages count back from the service's time, which a service is asked for only where there is an
   * age. The caller has checked the flags before, so that nothing is sent where one is wrong.
   */
  protected async parseAges<T>(
    { account }: Pick<PaymentsClient, "account">,
    times: readonly (string | undefined)[],
    parse: (nowMs: number) => T,
  ): Promise<T> {
    if (times.some((text) => text !== undefined && isAge(text))) {
      await account.retrieve().catch((error: unknown) => {
        if (!(error instanceof PaymentsError) || hasNoResponse(error)) throw error;
        // Any response tells the time.
      });
    }
    return parse(this.serviceTime.nowMs());
  }

  /** As `withClient`, for a command that only reads and needs its settings for nothing else. */
  protected async read<T>(
    flags: ConnectionFlags & OutputFlags,
    work: (client: PaymentsClient) => Promise<T>,
  ): Promise<T> {
    return await this.withClient(flags, await this.resolveSettings(flags), work);
  }

  /** Parses the output flags: commands call it first, so that a mistake in them stops everything else. */
  protected parseOutput(flags: OutputFlags, kind?: RecordName): Output {
    const { json: isJson, output, fields, yes = false } = flags;
    if (isJson && output !== undefined && output !== "json") {
      throw usageError(`--json and --output ${output} contradict each other. Give one of them.`);
    }
    const format = formats.find((known) => known === (isJson ? "json" : output)) ?? "table";
    return { format, fields: parseFields(fields, kind), isQuiet: yes && format !== "table" };
  }

  /** Prints data: one record, unless `records` lists several. */
  protected async show(
    { value, records = [value], columns = listFields(value), text }: ShownValue,
    { format }: Output,
    done?: string,
  ): Promise<void> {
    const indented = process.stdout.isTTY;
    const lines = await render({ value, records, columns, text }, format, { indented });
    await this.write(lines === "" ? "" : `${lines}\n`, done);
  }

  /** Prints one object, or the requested fields of it. */
  protected async showOne<Item extends object>(
    view: View<Item>,
    item: Item,
    { fields, format }: Output,
    done?: string,
  ): Promise<void> {
    await this.show(
      {
        value: fields ? pickFields(item, fields) : item,
        columns: fields ?? view.fields,
        text: async () => {
          const { formatItem } = await import("../output/resource-text.ts");
          return formatItem(view, item, this.style, fields);
        },
      },
      { format },
      done,
    );
  }

  /** Prints a whole list; for an empty one the note replaces the table. */
  protected async showMany<Item extends object>(
    view: View<Item>,
    list: { object: string; data: readonly Item[] },
    { fields, format }: Output,
    noteIfEmpty?: string,
  ): Promise<void> {
    if (list.data.length === 0 && noteIfEmpty !== undefined) this.note(noteIfEmpty, { format });
    if (list.data.length === 0 && format === "table") return;
    const { style, width, serviceTime } = this;
    const data = fields ? list.data.map((item) => pickFields(item, fields)) : list.data;
    await this.show(
      {
        value: { ...list, data },
        records: data,
        columns: fields ?? view.fields,
        text: async () => {
          const { formatItems } = await import("../output/resource-text.ts");
          const nowMs = serviceTime.nowMs();
          return formatItems(view, list.data, { style, width, nowMs, fields });
        },
      },
      { format },
    );
  }

  protected async showPayment(payment: Payment, output: Output): Promise<void> {
    const done = `The payment is ${payment.id}, ${payment.status}.`;
    await this.showOne(paymentResource, payment, output, done);
  }

  /**
   * Resolves once standard output has accepted the text, so that a slow reader slows the command down. A signal ends
   * the waiting for one that does not read.
   */
  protected async write(text: string, done?: string): Promise<void> {
    const error = await hearSignals(writeOutput(text), done);
    if (error) throw writeFailure(error, done);
  }

  /** The flags by which a printed command reaches what this one did, for a shell; each with a space before it. */
  protected get target(): string {
    return repeatTarget(this.typed, process.env);
  }

  /** Ends the command where the reader of its output leaves: the command does nothing else than write. */
  protected endWithReader(): void {
    closedPipe.endsCommand = true;
  }

  /** Writes to standard error, unless a machine reads the output. */
  protected note(text: string, output: Output = inWords): void {
    if (this.isHumanOutput(output)) process.stderr.write(`${text}\n`);
  }

  /** Whether a person reads the output, so that standard error may carry notes. */
  protected isHumanOutput({ format, isQuiet = false }: Output): boolean {
    return !isQuiet && (format === "table" || format === "csv");
  }

  /** Notes in a terminal the mode and the service of a write. */
  protected printTarget(settings: Settings, output: Output): void {
    if (!process.stderr.isTTY) return;
    const word = settings.mode === "live" ? this.errorStyle.bold("Live") : "Test";
    this.note(`${word} mode, ${describeService(settings)}.`, output);
  }

  /** Notes once that a live payment moves no money: on the embedded service, or on one with the simulator. */
  protected noteSimulator({ mode, baseUrl }: Settings, output: Output): void {
    const isSimulated = mode === "live" && (baseUrl === embedded || this.isSimulated);
    if (!isSimulated || this.isSimulatorNoted) return;
    this.isSimulatorNoted = true;
    this.note("Live mode on the built-in simulator: no money moves.", output);
  }

  protected canPrompt(flags: { "no-input"?: boolean }, { format }: Output = inWords): boolean {
    const { stdin, stderr } = process;
    const hasPerson = stdin.isTTY && stderr.isTTY && !process.env["CI"];
    return hasPerson && !flags["no-input"] && format === "table";
  }

  /** The prompts of this terminal, loaded only where they are needed. */
  protected async openPrompter(): Promise<Prompter> {
    const terminal = { input: process.stdin, output: process.stderr };
    if (wantsPlainScreen(process.env)) {
      const { createPlainPrompter } = await import("../prompts/plain-prompter.ts");
      return createPlainPrompter(terminal);
    }
    const { createPrompter } = await import("../prompts/inquirer-prompter.ts");
    return createPrompter(terminal);
  }
}

type ShownValue = Pick<Renderable, "value" | "text"> & Partial<Renderable>;
