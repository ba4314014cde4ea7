import * as Flags from "@oclif/core/flags";
import { roles, type Role, invitedOperatorFields } from "../../../contract/administration.ts";
import { missingValue } from "../../output/command-error.ts";
import {
  dashboardFlag,
  databaseFlag,
  outputFlags,
  switchFlag,
  textFlag,
} from "../../flags/flags.ts";
import { checkName, nameSettings } from "../../flags/checked-values.ts";
import { getCommandActor, selectAccounts, withService } from "../../config/service-database.ts";
import { resolveAccount } from "../../config/resolve-settings.ts";
import { invitedOperatorView } from "../../output/account-views.ts";
import {
  hasDashboard,
  resolveDashboardUrl,
  toInvitationUrl,
} from "../../config/service-address.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";

export default class OperatorsInvite extends BaseCommand {
  static override summary =
    "Invite an operator with a link that signs in to the dashboard, once, within 15 minutes.";
  static override examples = [
    "payments operators invite --name Ada --role admin",
    "payments operators invite --name Bob --role support --all-accounts --public-url https://payments.example.com",
    "payments operators invite --id op_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "payments operators invite --id op_0199c5a8-7f3e-7abc-9def-0123456789ab --account acct_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override flags = {
    name: textFlag("The operator's name.", "<name>", { exclusive: ["id"] }),
    role: Flags.option({
      summary: "The operator's role; with --id, the new one.",
      options: roles,
      helpValue: "<role>",
    })(),
    account: Flags.string({
      summary:
        "An account's id; repeat the flag for more. Optional if there is only one account. With --id: a further account.",
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "<id>",
      exclusive: ["all-accounts"],
    }),
    "all-accounts": switchFlag("All accounts that exist now."),
    id: textFlag("Invite this operator again; the previous link stops working.", "<id>"),
    ...dashboardFlag,
    ...databaseFlag,
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "never",
    exits: { ...databaseExits, not_found: "there is no such operator, or account" },
    output: { object: "operator", fields: invitedOperatorFields },
  };

  async run(): Promise<void> {
    const { flags, raw } = await this.parse(OperatorsInvite);
    const output = this.parseOutput(flags);
    const { env } = process;
    const url = resolveDashboardUrl(flags["public-url"], nameSettings(raw, env), env);
    const { id, role } = flags;
    const actor = getCommandActor();
    const operator = id === undefined ? parseOperator(flags) : undefined;
    const named = resolveAccount(undefined, env);
    const { account: ids = operator && named ? [named] : undefined, "all-accounts": isAll } = flags;
    const setsAccounts = operator !== undefined || ids !== undefined || isAll;
    const invited = await withService(flags, async (service) => {
      const accounts = setsAccounts
        ? selectAccounts(await service.listAccounts(), ids, isAll).map((account) => account.id)
        : [];
      if (operator) return await service.inviteOperator({ ...operator, accounts }, actor);
      return await service.reinviteOperator({ id: id ?? "", role, accounts }, actor);
    });
    const withLink = toInvitationUrl(url, invited);
    const done = `The operator ${withLink.id} was invited, but the link could not be shown. Invite again with --id.`;
    await this.showOne(invitedOperatorView, withLink, output, done);
    if (!this.isHumanOutput(output)) return;
    this.note("The link signs in once, within 15 minutes. Anyone who has it can use it.", output);
    if (await hasDashboard(url)) return;
    this.note(
      `No dashboard answers at ${url} now. Start one with payments serve --dashboard, or invite again with --id ${withLink.id} and the right --public-url.`,
      output,
    );
  }
}

function parseOperator({ name, role }: { name?: string | undefined; role?: Role | undefined }) {
  if (name === undefined || role === undefined) {
    throw missingValue([
      ...(name === undefined ? [["--name", "for example --name Ada"] as const] : []),
      ...(role === undefined ? [["--role", roles.join(", ")] as const] : []),
    ]);
  }
  return { name: checkName(name, "Ada"), role };
}
