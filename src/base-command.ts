import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Command } from "@oclif/core";
import { PaymentsClient } from "./client/client.ts";
import { embeddedTransport } from "./client/embedded-transport.ts";
import { headersOf, pathOf, type Call } from "./client/request.ts";
import { directoriesOf, type Directories } from "./config/directories.ts";
import { embeddedKeyFile, embeddedKeys } from "./config/embedded-keys.ts";
import {
  databaseOf,
  embedded,
  normalizedUrl,
  resolveSettings,
  type SettingFlags,
  type Settings,
} from "./config/settings.ts";
import type { Route } from "./contract/routes.ts";
import { ids } from "./ids.ts";
import { durationMs } from "./input/duration.ts";
import { json } from "./output/json.ts";
import { maskedBody } from "./output/masked-body.ts";
import { styleFor } from "./output/style.ts";
import type { Asker } from "./prompts/asker.ts";
import type { Service } from "./service/service.ts";

type ServerFlags = {
  database: string | undefined;
  host: string;
  port: number;
  publicUrl: string | undefined;
  processingTimeMs: number;
  logLevel: string;
};
type ClientFlags = SettingFlags & { "max-retries": number; "request-timeout": string };

/** What every command stands on: settings, a client for them, and where output goes. */
export abstract class BaseCommand extends Command {
  /** What colours standard output and standard error take. */
  protected readonly style = styleFor("stdout");
  protected readonly errorStyle = styleFor("stderr");

  protected directories(): Directories {
    return directoriesOf(process.env);
  }

  protected settings(flags: SettingFlags): Settings {
    return resolveSettings(flags, process.env);
  }

  /** Does some work with a client for the settings, and lets go of it whatever happens. */
  protected async withClient<T>(
    flags: ClientFlags,
    settings: Settings,
    work: (client: PaymentsClient) => Promise<T>,
  ): Promise<T> {
    const client = new PaymentsClient({
      ...this.endpoint(settings),
      maxRetries: flags["max-retries"],
      timeoutMs: durationMs(flags["request-timeout"], "--request-timeout"),
      ...(settings.serviceVersion !== undefined && { serviceVersion: settings.serviceVersion }),
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  /** Where requests go and the key they carry: a service over HTTP, or the one in this process. */
  private endpoint({ baseUrl, key, mode, directories, database }: Settings) {
    if (baseUrl !== embedded && key) return { apiKey: key.value, baseUrl };
    const keys = embeddedKeys(directories, ids.secret);
    const docsUrl = pathToFileURL(join(this.config.root, "docs", "errors.html")).href;
    const transport = embeddedTransport(async () => {
      const { embed } = await import("./server.ts");
      return await embed({
        database: database(),
        docsUrl,
        keys,
        keyFile: embeddedKeyFile(directories),
      });
    });
    return { apiKey: key?.value ?? keys[mode], baseUrl: transport };
  }

  /** The last four characters of the key that a command uses, and where it comes from. */
  protected keyOf(settings: Settings): { source: string; last4: string } {
    const { key, directories, mode } = settings;
    const value = key?.value ?? embeddedKeys(directories, ids.secret)[mode];
    return { source: key?.source ?? embedded, last4: value.slice(-4) };
  }

  /** Does some work with the use cases over the service's own database. */
  protected async withService<T>(
    flags: { database?: string | undefined },
    work: (service: Service) => Promise<T>,
  ): Promise<T> {
    const { openService } = await import("./server.ts");
    const { service, close } = await openService({
      database: databaseOf(flags.database, process.env),
    });
    try {
      return await work(service);
    } finally {
      await close();
    }
  }

  /** The service, listening; its logs say what an operator needs to know at the start. */
  protected async startServer({
    database,
    logLevel,
    publicUrl,
    ...settings
  }: ServerFlags): Promise<{ url: string; close: () => Promise<void> }> {
    const [{ serve }, { openLog }] = await Promise.all([
      import("./server.ts"),
      import("./logger.ts"),
    ]);
    const log = await openLog(logLevel);
    const running = await serve({
      ...settings,
      database: databaseOf(database, process.env),
      log,
      ...(publicUrl !== undefined && { publicUrl: normalizedUrl(publicUrl, "--public-url") }),
    });
    try {
      log.info({ url: running.url }, "listening");
      log.info({}, "live payments go to the built-in simulator: no money moves");
      if ((await running.service.listKeys()).length === 0) {
        log.info({}, "there is no API key yet: make one with payments keys create");
      }
      return running;
    } catch (error) {
      await running.close();
      throw error;
    }
  }

  /** What a call would send, with its key and card masked. */
  protected described(settings: Settings, route: Route, call: Call): object {
    const masked = `svc_${settings.mode}_sk_…${this.keyOf(settings).last4}`;
    const { body } = call;
    return {
      method: route.method,
      url: `${settings.baseUrl === embedded ? "embedded:" : settings.baseUrl}${pathOf(route, call)}`,
      headers: headersOf({ apiKey: masked, serviceVersion: settings.serviceVersion }, call),
      body: body === undefined ? null : maskedBody(body),
    };
  }

  /** Data goes to standard output: as JSON where that was asked for, else as text. */
  protected show(value: object, flags: { json?: boolean | undefined }, text: () => string): void {
    const indented = process.stdout.isTTY;
    process.stdout.write(`${flags.json ? json(value, { indented }) : text()}\n`);
  }

  /** Anything but data goes to standard error, and nothing does where a machine reads. */
  protected note(text: string, flags: { json?: boolean | undefined }): void {
    if (!flags.json) process.stderr.write(`${text}\n`);
  }

  /** Says that a live write moves no money, where that is known. */
  protected noteSimulator(settings: Settings, flags: { json?: boolean | undefined }): void {
    if (settings.mode !== "live" || settings.baseUrl !== embedded) return;
    this.note("Live mode on the built-in simulator: no money moves.", flags);
  }

  /** Whether a question can be asked: somebody is there, and reads and types in a terminal. */
  protected canAsk(flags: { json?: boolean | undefined; "no-input"?: boolean }): boolean {
    const { stdin, stderr } = process;
    return stdin.isTTY && stderr.isTTY && !process.env["CI"] && !flags["no-input"] && !flags.json;
  }

  /** Who asks in this terminal; what that takes is loaded only now. */
  protected async asker(): Promise<Asker> {
    const { openAsker } = await import("./prompts/open-asker.ts");
    return await openAsker({ input: process.stdin, output: process.stderr }, process.env);
  }
}
