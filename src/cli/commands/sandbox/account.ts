import { accountFields } from "../../../contract/administration.ts";
import { sandboxAccountView } from "../../output/account-views.ts";
import { checkAccountName } from "../../flags/checked-values.ts";
import { grantFlags, parsePermissions, sandboxFlags, textFlag } from "../../flags/flags.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withSandbox } from "../../program/connection.ts";
import { type CommandFacts, readExits } from "../../output/command-facts.ts";

export default class SandboxAccount extends BaseCommand {
  static override summary = "Create an account with a key of each mode, for a test of its own.";
  static override examples = [
    "payments sandbox account",
    "payments sandbox account --name Shop --json | jq -r .keys.test",
    "payments sandbox account --can read --json | jq -r .keys.test",
  ];
  static override flags = {
    name: textFlag("The merchant's name.", "<name>"),
    ...grantFlags,
    ...sandboxFlags(),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "never",
    exits: readExits,
    output: {
      object: null,
      fields: [...accountFields.map((name) => `account.${name}`), "keys.test", "keys.live"],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxAccount);
    const output = this.parseOutput(flags);
    const { name, can, "max-refund": maxRefund } = flags;
    const account = {
      ...(name !== undefined && { name: checkAccountName(name) }),
      ...(can && { permissions: parsePermissions(can) }),
      ...(maxRefund !== undefined && { max_refund: maxRefund }),
    };
    const created = await withSandbox(this, flags, async (sandbox) =>
      sandbox.createAccount(account),
    );
    await this.showOne(sandboxAccountView, created, output);
  }
}
