import { Config } from "@oclif/core/config";
import { commands, type CommandClass } from "./commands.ts";
import packageJson from "../../../package.json" with { type: "json" };

const maxWords = 2;

/** Finds the command that the command line begins with, the one with most words, and the words after it. */
export async function findCommand(
  argv: readonly string[],
): Promise<{ id: string; Command: CommandClass; rest: string[] } | undefined> {
  for (let count = maxWords; count > 0; count--) {
    const id = argv.slice(0, count).join(":");
    const load = Object.hasOwn(commands, id) ? commands[id] : undefined;
    if (load) return { id, Command: (await load()).default, rest: argv.slice(count) };
  }
  return undefined;
}

/**
 * oclif's configuration without its `load`, which takes longer than most commands run. The program has no
 * plugins, and therefore no hooks.
 */
export class Program extends Config {
  override readonly bin = "payments";
  override readonly version = packageJson.version;
  override readonly root: string;

  constructor(root: string) {
    super({ root });
    this.root = root;
  }

  override async runHook() {
    return { successes: [], failures: [] };
  }
}
