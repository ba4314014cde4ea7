import { CommandError, usageError } from "../output/command-error.ts";
import { dashboardFlag, databaseFlag, outputFlags, textFlag } from "../flags/flags.ts";
import { checkName, nameSettings } from "../flags/checked-values.ts";
import {
  getCommandActor,
  getPersonName,
  nameSome,
  withService,
} from "../config/service-database.ts";
import { hasDashboard, resolveDashboardUrl, toInvitationUrl } from "../config/service-address.ts";
import { BaseCommand } from "../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../output/command-facts.ts";
import { invitedOperatorFields } from "../../contract/administration.ts";

export default class Dashboard extends BaseCommand {
  static override summary =
    "Open the dashboard of a running service with a link that signs you in.";
  static override description =
    "The link signs in once, within 15 minutes. If there are no operators yet, you become the first admin, of every account. This works on the service's own database.";
  static override examples = [
    "payments dashboard",
    "payments dashboard --operator op_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override flags = {
    operator: textFlag("The operator who signs in, by the id.", "<id>"),
    name: textFlag("Your name as the first admin. Default: your user name.", "<name>", {
      exclusive: ["operator"],
    }),
    ...dashboardFlag,
    ...databaseFlag,
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "always",
    exits: { ...databaseExits, not_found: "there is no such operator" },
    output: { object: "operator", fields: invitedOperatorFields },
  };

  async run(): Promise<void> {
    const { flags, raw } = await this.parse(Dashboard);
    const output = this.parseOutput(flags);
    const { env } = process;
    const url = resolveDashboardUrl(flags["public-url"], nameSettings(raw, env), env);
    const actor = getCommandActor();
    const name = flags.name === undefined ? getPersonName() : checkName(flags.name, "Ada");
    if (!(await hasDashboard(url))) {
      throw new CommandError(
        "unavailable",
        `No dashboard answers at ${url}. Nobody was invited.`,
        "Start it with payments serve --dashboard, or give its address with --public-url.",
      );
    }
    const invited = await withService(flags, async (service) => {
      const id = flags.operator;
      if (id !== undefined) return await service.reinviteOperator({ id }, actor);
      const operators = await service.listOperators();
      if (operators.length > 0) {
        throw usageError(
          "Missing --operator: there are operators already.",
          `Give the id of one: ${nameSome(operators)}.`,
        );
      }
      const accounts = (await service.listAccounts()).map((account) => account.id);
      return await service.inviteOperator({ name, role: "admin", accounts }, actor);
    });
    const operator = toInvitationUrl(url, invited);
    const link = operator.invitation.url;
    await this.show({ value: operator, text: () => link }, output);
    const { openInBrowser } = await import("../output/open-in-browser.ts");
    if (await openInBrowser(link, env)) return;
    this.note("No browser could be started: open the link yourself, within 15 minutes.", output);
  }
}
