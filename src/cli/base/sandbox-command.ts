import type { PaymentsClient } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { sandboxKeys } from "../../contract/field-values.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import { describeService, embedded, type Settings } from "../config/resolve-settings.ts";
import { usageError } from "../errors/command-error.ts";
import { BaseCommand, type OutputFlags } from "./base-command.ts";

/** The base of commands that control a sandbox: with its published key, unless there is another one for it. */
export abstract class SandboxCommand extends BaseCommand {
  protected async control<T>(
    flags: ConnectionFlags & OutputFlags,
    work: (sandbox: PaymentsClient["sandbox"]) => Promise<T>,
  ): Promise<T> {
    const connection = { ...flags, mode: "test" };
    const settings = await this.resolveSettings(connection, { publishedKey: sandboxKeys.test });
    if (settings.baseUrl === embedded) throw noSandboxError(settings);
    return await this.withClient(connection, settings, async ({ sandbox }) => {
      try {
        return await work(sandbox);
      } catch (error) {
        const isOther = error instanceof ApiError && error.code === "endpoint_not_found";
        throw isOther ? noSandboxError(settings) : error;
      }
    });
  }
}

function noSandboxError(settings: Settings): Error {
  return usageError(
    `There is no sandbox at ${describeService(settings)}. Nothing was done.`,
    "Start one with payments sandbox, then payments login --sandbox; or name one that runs with --base-url.",
  );
}
