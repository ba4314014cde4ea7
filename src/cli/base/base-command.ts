import { Command } from "@oclif/core/command";
import type { Input, ParserOutput } from "@oclif/core/interfaces";
import type { PaymentsClient } from "../../client/client.ts";
import { resolveDirectories, type Directories } from "../config/directories.ts";
import {
  resolveDatabase,
  embedded,
  isDatabaseNamed,
  resolveSettings,
  describeService,
  type SettingFlags,
  type Settings,
} from "../config/resolve-settings.ts";
import { refuseBlankSettings } from "../config/blank-settings.ts";
import { connect, type ConnectionFlags } from "../config/connect.ts";
import { networkHeader, simulatorName } from "../../contract/headers.ts";
import type { Payment } from "../../contract/payment.ts";
import { writeFailure, usageError } from "../errors/command-error.ts";
import { globalFlags } from "../parse/flags.ts";
import { parseFields } from "../parse/checked-values.ts";
import type { Kind } from "../output/kinds.ts";
import { listFields, pickFields } from "../output/fields.ts";
import { formats, render, type Format, type Renderable } from "../output/rendered.ts";
import { getStyle, wantsPlainScreen } from "../output/style.ts";
import { paymentView, type ManyView, type OneView } from "../output/views.ts";
import {
  assertSafeTransport,
  warnOfTransport,
  type TransportFlags,
} from "../config/transport-security.ts";
import type { Prompter } from "../prompts/asker.ts";
import type { OpenService } from "../../service/server/open-service.ts";

type Values = Record<string, unknown>;

type OutputFlags = {
  json?: boolean | undefined;
  output?: string | undefined;
  fields?: string | undefined;
};

/** How data is asked for: its format, and which fields of each record. */
export type Output = { format: Format; fields?: string[] | undefined };

const inWords: Output = { format: "table" };

/** What every command stands on: settings, a client for them, and where output goes. */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  /** What colours standard output and standard error take. */
  protected readonly style = getStyle("stdout");
  protected readonly errorStyle = getStyle("stderr");

  /** Columns of the terminal; undefined in a pipe, and where the terminal does not know. */
  protected readonly width = process.stdout.columns || undefined;

  /** Whether a service has said that the simulator decides live payments. */
  private isSimulated = false;
  private hasNotedSimulator = false;

  /** Flags and arguments as they were given; no flag, and no variable, came out empty. */
  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv);
    refuseBlankSettings(parsed.flags, process.env);
    return parsed;
  }

  protected directories(): Directories {
    return resolveDirectories(process.env);
  }

  /** `sends`: whether the key will be sent, so that an unsafe way is told before anything is asked. */
  protected async settings(
    flags: SettingFlags & TransportFlags & OutputFlags,
    { sends = true } = {},
  ): Promise<Settings> {
    const settings = await resolveSettings(flags, process.env);
    if (sends) this.checkWay(settings, flags);
    return settings;
  }

  /**
   * Refuses a way to the service on which others could read the key, and warns of one that is not safe.
   * A machine that reads standard error is not warned: for it that stays empty, and live mode is refused.
   */
  protected checkWay(
    settings: Pick<Settings, "baseUrl" | "mode">,
    flags: TransportFlags & OutputFlags,
  ): void {
    assertSafeTransport(settings, flags, process.env);
    const warning = warnOfTransport(settings, process.env);
    if (warning === undefined) return;
    if (!process.stderr.isTTY && !this.saysMore(this.outputOf(flags))) return;
    process.stderr.write(`${this.errorStyle.yellow.bold("Warning:")} ${warning}\n`);
  }

  /** Does some work with a client for the settings, and lets go of it whatever happens. */
  protected async withClient<T>(
    flags: ConnectionFlags,
    settings: Settings,
    work: (client: PaymentsClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect(settings, flags, this.config.root, (headers) => {
      this.isSimulated ||= headers[networkHeader] === simulatorName;
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  /**
   * Does some work with the use cases over the service's own database. One that somebody named must be
   * there, unless a new one `begins` with this work, and is only read unless this work writes.
   */
  protected async withService<T>(
    { database, begins = false }: { database?: string | undefined; begins?: boolean },
    work: (service: OpenService["service"]) => Promise<T>,
  ): Promise<T> {
    const { openService } = await import("../../service/server/open-service.ts");
    const { service, close } = await openService(
      { database: resolveDatabase(database, process.env) },
      { migrates: false, begins: begins || !isDatabaseNamed(database, process.env) },
    );
    try {
      return await work(service);
    } finally {
      await close();
    }
  }

  /** What the output flags ask for; a mistake in them is found before anything else happens. */
  protected outputOf({ json: isJson, output, fields }: OutputFlags, kind?: Kind): Output {
    if (isJson && output !== undefined && output !== "json") {
      throw usageError(`--json and --output ${output} contradict each other. Give one of them.`);
    }
    const format = formats.find((known) => known === (isJson ? "json" : output)) ?? "table";
    return { format, fields: parseFields(fields, kind) };
  }

  /** Data goes to standard output: a record of its own, unless `records` says which. */
  protected async show(
    { value, records = [value], columns = listFields(value), text }: ShownValue,
    { format }: Output,
    done?: string,
  ): Promise<void> {
    const indented = process.stdout.isTTY;
    const lines = await render({ value, records, columns, text }, format, { indented });
    await this.write(lines === "" ? "" : `${lines}\n`, done);
  }

  /** One object, or the fields of it that were asked for. */
  protected async showOne<Item extends object>(
    { kind, load }: OneView<Item>,
    item: Item,
    { fields, format }: Output,
    done?: string,
  ): Promise<void> {
    await this.show(
      {
        value: fields ? pickFields(item, fields) : item,
        columns: fields ?? kind.fields,
        text: async () => (await load()).text(item, this.style, fields),
      },
      { format },
      done,
    );
  }

  /** A list of them, all at once; of nothing no table is drawn. */
  protected async showMany<Item extends object>(
    { kind, load }: ManyView<Item>,
    list: { object: "list"; data: Item[] },
    { fields, format }: Output,
  ): Promise<void> {
    if (list.data.length === 0 && format === "table") return;
    const { style, width } = this;
    const data = fields ? list.data.map((item) => pickFields(item, fields)) : list.data;
    await this.show(
      {
        value: { ...list, data },
        records: data,
        columns: fields ?? kind.fields,
        text: async () => (await load()).table(list.data, { style, width, fields }),
      },
      { format },
    );
  }

  protected async showPayment(payment: Payment, output: Output): Promise<void> {
    const done = `The payment is ${payment.id}, ${payment.status}.`;
    await this.showOne(paymentView, payment, output, done);
  }

  /** Resolves once standard output has taken it: a slow reader slows the command down. */
  protected async write(text: string, done?: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (!error) resolve();
        else if (error.code !== "EPIPE") reject(writeFailure(error, done)); // EPIPE: see main.ts
      });
    });
  }

  /** Anything but data goes to standard error. */
  protected note(text: string, output: Output = inWords): void {
    if (this.saysMore(output)) process.stderr.write(`${text}\n`);
  }

  /** Whether anything but data and errors is told: nothing is where a machine reads. */
  protected saysMore({ format }: Output): boolean {
    return format === "table" || format === "csv";
  }

  /** Says in a terminal where a write acts. */
  protected notePlace(settings: Settings, output: Output): void {
    if (!process.stderr.isTTY) return;
    const word = settings.mode === "live" ? this.errorStyle.bold("Live") : "Test";
    this.note(`${word} mode, ${describeService(settings)}.`, output);
  }

  /** The same of a payment, and that a live one moves no money where that is known already. */
  protected noteTarget(settings: Settings, output: Output): void {
    this.notePlace(settings, output);
    this.noteSimulator(settings, output);
  }

  /** Says once that a live payment moves no money: the embedded service is known for it, another one says so. */
  protected noteSimulator({ mode, baseUrl }: Settings, output: Output): void {
    const isSimulated = mode === "live" && (baseUrl === embedded || this.isSimulated);
    if (!isSimulated || this.hasNotedSimulator) return;
    this.hasNotedSimulator = true;
    this.note("Live mode on the built-in simulator: no money moves.", output);
  }

  /** Whether a question can be asked: somebody is there, and reads and types in a terminal. */
  protected canAsk(flags: { "no-input"?: boolean }, { format }: Output = inWords): boolean {
    const { stdin, stderr } = process;
    const hasPerson = stdin.isTTY && stderr.isTTY && !process.env["CI"];
    return hasPerson && !flags["no-input"] && format === "table";
  }

  /** Who asks in this terminal; what that takes is loaded only now. */
  protected async asker(): Promise<Prompter> {
    const terminal = { input: process.stdin, output: process.stderr };
    if (wantsPlainScreen(process.env)) {
      const { createPlainPrompter } = await import("../prompts/plain.ts");
      return createPlainPrompter(terminal);
    }
    const { createPrompter } = await import("../prompts/redrawn.ts");
    return createPrompter(terminal);
  }
}

type ShownValue = Pick<Renderable, "value" | "text"> & Partial<Renderable>;
