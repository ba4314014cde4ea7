import * as Args from "@oclif/core/args";
import { Command } from "@oclif/core/command";
import { CommandError } from "../output/command-error.ts";
import { contextFlag, globalFlags } from "../flags/flags.ts";
import type { CommandFacts } from "../output/command-facts.ts";

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
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: {
      fault: "the service says that it is not ready",
      unavailable: "the service cannot be reached",
    },
    output: null,
  };

  static override flags = { ...contextFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Health);
    const { resolveHealthUrl } = await import("../config/service-address.ts");
    const url = resolveHealthUrl({ url: args.url, context: flags.context }, process.env);
    const { askReadiness } = await import("../config/service-address.ts");
    const found = await askReadiness(url);
    switch (found.state) {
      case "ready":
        return;
      case "unready":
        throw new CommandError("fault", `The service at ${url} is not ready: ${found.reason}.`);
      case "elsewhere":
        throw new CommandError(
          "unavailable",
          `The service at ${url} has its probes elsewhere: ${found.message}`,
        );
      case "unreachable":
        throw new CommandError(
          "unavailable",
          `The service at ${url} cannot be reached: ${found.reason}.`,
        );
      case "other":
        throw new CommandError(
          "unavailable",
          `Unexpected response (HTTP ${found.status}) from ${url}/readyz: not from the payments service.`,
        );
    }
  }
}
