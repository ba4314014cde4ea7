import * as Args from "@oclif/core/args";
import { Command } from "@oclif/core/command";
import { describeFailure } from "../../client/failure-reason.ts";
import { createHttpTransport, type TransportAnswer } from "../../client/transport.ts";
import { tryParseJson } from "../../runtime/json.ts";
import { CommandError } from "../errors/command-error.ts";
import { globalFlags } from "../parse/flags.ts";

const timeoutMs = 3_000; // the service answers within 2 s, whatever its database does

/** Not a BaseCommand, whose settings and client it would load: containers run it each second. */
export default class Health extends Command {
  static override summary = "Find out whether a service is ready, without a word if it is.";
  static override description =
    "Asks /readyz, and sends no key. Exits with 0 when the service is ready, with 1 when it says that it is not, and with 9 when it cannot be reached. A service with --metrics-port answers on that port.";
  static override examples = ["payments health", "payments health http://127.0.0.1:18402"];
  static override baseFlags = globalFlags;
  static override args = {
    url: Args.string({
      description:
        "The service's address. Default: the one that commands use, else the one of payments serve with the same variables: http://127.0.0.1:8402 without any.",
      ignoreStdin: true,
    }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(Health);
    const { resolveHealthUrl } = await import("../config/health-address.ts");
    const url = resolveHealthUrl(args.url, process.env);
    const { status, body } = await ask(url);
    const said = Object(tryParseJson(body)) as { status?: unknown; reason?: unknown };
    if (status === 200 && said.status === "ready") return;
    if (said.status === "unready" && typeof said.reason === "string")
      throw new CommandError("fault", `The service at ${url} is not ready: ${said.reason}.`);
    throw new CommandError(
      "unavailable",
      `Unexpected response (HTTP ${status}) from ${url}/readyz: not from the payments service.`,
    );
  }
}

async function ask(url: string): Promise<TransportAnswer> {
  const transport = createHttpTransport(url);
  try {
    return await transport.send({ method: "GET", path: "/readyz", headers: {}, timeoutMs });
  } catch (error) {
    const reason = describeFailure(error as Error);
    throw new CommandError("unavailable", `The service at ${url} cannot be reached: ${reason}.`);
  } finally {
    await transport.close();
  }
}
