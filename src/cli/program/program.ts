import type { Command } from "@oclif/core/command";
import { Config } from "@oclif/core/config";
import type { ParsedTokens } from "../flags/typed-values.ts";
import packageJson from "../../../package.json" with { type: "json" };

type CommandClass = new (argv: string[], config: Config) => Command & { typed?: ParsedTokens };
type CommandFile = { default: CommandClass };

/** Every command, by its words with colons between them. Each is loaded only when it runs. */
const commands: Record<string, () => Promise<CommandFile>> = {
  "accounts:create": async () => import("../commands/accounts/create.ts"),
  "accounts:list": async () => import("../commands/accounts/list.ts"),
  "accounts:rename": async () => import("../commands/accounts/rename.ts"),
  "activity:list": async () => import("../commands/activity/list.ts"),
  backup: async () => import("../commands/backup.ts"),
  cancel: async () => import("../commands/cancel.ts"),
  completion: async () => import("../commands/completion.ts"),
  create: async () => import("../commands/create.ts"),
  dashboard: async () => import("../commands/dashboard.ts"),
  doctor: async () => import("../commands/doctor.ts"),
  "events:get": async () => import("../commands/events/get.ts"),
  "events:list": async () => import("../commands/events/list.ts"),
  "events:resend": async () => import("../commands/events/resend.ts"),
  fixtures: async () => import("../commands/fixtures.ts"),
  get: async () => import("../commands/get.ts"),
  health: async () => import("../commands/health.ts"),
  help: async () => import("../commands/help.ts"),
  "keys:create": async () => import("../commands/keys/create.ts"),
  "keys:list": async () => import("../commands/keys/list.ts"),
  "keys:revoke": async () => import("../commands/keys/revoke.ts"),
  "keys:roll": async () => import("../commands/keys/roll.ts"),
  licenses: async () => import("../commands/licenses.ts"),
  list: async () => import("../commands/list.ts"),
  listen: async () => import("../commands/listen.ts"),
  login: async () => import("../commands/login.ts"),
  logout: async () => import("../commands/logout.ts"),
  "logs:get": async () => import("../commands/logs/get.ts"),
  "logs:list": async () => import("../commands/logs/list.ts"),
  "logs:tail": async () => import("../commands/logs/tail.ts"),
  migrate: async () => import("../commands/migrate.ts"),
  mode: async () => import("../commands/mode.ts"),
  "network:check": async () => import("../commands/network/check.ts"),
  "operators:invite": async () => import("../commands/operators/invite.ts"),
  "operators:list": async () => import("../commands/operators/list.ts"),
  "operators:remove": async () => import("../commands/operators/remove.ts"),
  pay: async () => import("../commands/pay.ts"),
  reconcile: async () => import("../commands/reconcile.ts"),
  refund: async () => import("../commands/refund.ts"),
  report: async () => import("../commands/report.ts"),
  sandbox: async () => import("../commands/sandbox/index.ts"),
  "sandbox:account": async () => import("../commands/sandbox/account.ts"),
  "sandbox:clock": async () => import("../commands/sandbox/clock.ts"),
  "sandbox:fault": async () => import("../commands/sandbox/fault.ts"),
  "sandbox:faults": async () => import("../commands/sandbox/faults.ts"),
  "sandbox:requests": async () => import("../commands/sandbox/requests.ts"),
  "sandbox:reset": async () => import("../commands/sandbox/reset.ts"),
  serve: async () => import("../commands/serve.ts"),
  "test-cards": async () => import("../commands/test-cards.ts"),
  trigger: async () => import("../commands/trigger.ts"),
  "webhooks:create": async () => import("../commands/webhooks/create.ts"),
  "webhooks:delete": async () => import("../commands/webhooks/delete.ts"),
  "webhooks:deliveries": async () => import("../commands/webhooks/deliveries.ts"),
  "webhooks:disable": async () => import("../commands/webhooks/disable.ts"),
  "webhooks:enable": async () => import("../commands/webhooks/enable.ts"),
  "webhooks:get": async () => import("../commands/webhooks/get.ts"),
  "webhooks:list": async () => import("../commands/webhooks/list.ts"),
  "webhooks:recover": async () => import("../commands/webhooks/recover.ts"),
  "webhooks:roll": async () => import("../commands/webhooks/roll.ts"),
  "webhooks:test": async () => import("../commands/webhooks/test.ts"),
  "webhooks:update": async () => import("../commands/webhooks/update.ts"),
  whoami: async () => import("../commands/whoami.ts"),
};
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
