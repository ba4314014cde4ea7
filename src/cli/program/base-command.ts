import { Command } from "@oclif/core/command";
import type { Input, ParserOutput } from "@oclif/core/interfaces";
import type { Payment } from "../../contract/payment.ts";
import { refuseBlankSettings, refuseUnclearSwitches } from "../config/blank-settings.ts";
import { createServiceTime } from "../config/service-address.ts";
import { usageError, writeFailure } from "../output/command-error.ts";
import { hearSignals } from "../output/interruption.ts";
import { listFields, pickFields } from "../../runtime/records.ts";
import {
  type Format,
  type Renderable,
  closedPipe,
  formats,
  isClosedPipe,
  render,
  writeOutput,
} from "../output/write-output.ts";
import { paymentResource } from "../output/payment-resource.ts";
import type { RecordName, View } from "../output/resource.ts";
import { getStyle, wantsPlainScreen } from "../output/style.ts";
import {
  type ParsedTokens,
  parseFields,
  parseTyped,
  repeatFlags,
} from "../flags/checked-values.ts";
import { globalFlags } from "../flags/flags.ts";
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

/** The base of every command: how it parses, prompts and prints. */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  readonly style = getStyle("stdout");
  readonly errorStyle = getStyle("stderr");

  /** Columns of the terminal; undefined in a pipe, and where the terminal does not know. */
  readonly width = process.stdout.columns || undefined;

  /** The time of the service that the command uses, which ages are counted from. */
  readonly serviceTime = createServiceTime();

  /** The flags and words that the user typed, once they are parsed. */
  typed: ParsedTokens = [];

  /** The kind of service that answered, by its responses; `isNoted`: the user has read that no money moves. */
  readonly seen = { isEmbedded: false, isSandbox: false, isSimulator: false, isNoted: false };

  /** Where the command works, once that is known, where there are several contexts: `production (live)`. */
  place: { text: string; context: string | undefined; isNoted: boolean } | undefined;

  /** Whether somebody still reads the output, as far as writing to it has shown. */
  hasReader = true;

  private format: Format = "table";

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

  /** Parses the output flags: commands call it first, so that a mistake in them stops everything else. */
  parseOutput(flags: OutputFlags, kind?: RecordName): Output {
    const { json: isJson, output, fields, yes = false } = flags;
    if (isJson && output !== undefined && output !== "json") {
      throw usageError(`--json and --output ${output} contradict each other. Give one of them.`);
    }
    const format = formats.find((known) => known === (isJson ? "json" : output)) ?? "table";
    this.format = format;
    return { format, fields: parseFields(fields, kind), isQuiet: yes && format !== "table" };
  }

  /** Prints data: one record, unless `records` lists several. */
  async show(
    { value, records = [value], columns = listFields(value), text }: ShownValue,
    { format }: Output,
    done?: string,
  ): Promise<void> {
    const indented = process.stdout.isTTY;
    const lines = await render({ value, records, columns, text }, format, { indented });
    await this.write(lines === "" ? "" : `${lines}\n`, done);
  }

  /** Prints one object, or the requested fields of it. */
  async showOne<Item extends object>(
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

  /** Prints one object: for a person who reads the whole of it, in words of its own. */
  async showInWords<Item extends object>(
    view: View<Item>,
    item: Item,
    output: Output,
    text: Renderable["text"],
  ): Promise<void> {
    if (output.fields || output.format !== "table") await this.showOne(view, item, output);
    else await this.show({ value: item, text }, output);
  }

  /** Prints a whole list; for an empty one the note replaces the table. */
  async showMany<Item extends object>(
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

  async showPayment(payment: Payment, output: Output): Promise<void> {
    const done = `The payment is ${payment.id}, ${payment.status}.`;
    await this.showOne(paymentResource, payment, output, done);
  }

  /**
   * Resolves once standard output has accepted the text, so that a slow reader slows the command down. A signal ends
   * the waiting for one that does not read.
   */
  async write(text: string | Uint8Array, done?: string): Promise<void> {
    const error = await hearSignals(writeOutput(text), done);
    if (isClosedPipe(error)) this.hasReader = false;
    else if (error) throw writeFailure(error, done);
  }

  /** The flags by which a printed command reaches what this one did, for a shell; each with a space before it. */
  get target(): string {
    return this.repeat();
  }

  /** These flags, and those by which a printed command reaches what this one did. */
  repeat(also?: ReadonlySet<string>): string {
    return repeatFlags(this.typed, process.env, { context: this.place?.context, also });
  }

  /** Ends the process at once where the reader of its output leaves: nobody would see what the command is for. */
  endWithReader(): void {
    closedPipe.endsCommand = true;
  }

  /** Writes to standard error, unless a machine reads the output. */
  note(text: string, output: Output = inWords): void {
    if (this.isHumanOutput(output)) process.stderr.write(`${text}\n`);
  }

  /** Says once where the command works, where there are several contexts: before a prompt, and with a live write. */
  notePlace(): void {
    if (!this.place || this.place.isNoted || this.format !== "table") return;
    this.place.isNoted = true;
    process.stderr.write(`In ${this.place.text}.\n`);
  }

  /** Whether a person reads the output, so that standard error may carry notes. */
  isHumanOutput({ format, isQuiet = false }: Output): boolean {
    return !isQuiet && (format === "table" || format === "csv");
  }

  canPrompt(flags: { "no-input"?: boolean }, { format }: Output = inWords): boolean {
    const { stdin, stderr } = process;
    const hasPerson = stdin.isTTY && stderr.isTTY && !process.env["CI"];
    return hasPerson && !flags["no-input"] && format === "table";
  }

  /** The prompts of this terminal, loaded only where they are needed. */
  async openPrompter(): Promise<Prompter> {
    this.notePlace();
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
