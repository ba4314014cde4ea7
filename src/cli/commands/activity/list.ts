import * as Flags from "@oclif/core/flags";
import { listPages } from "../../../client/list-pages.ts";
import { actions } from "../../../contract/administration.ts";
import { activityResource } from "../../output/account-views.ts";
import { accountFlag, databaseFlag, fieldsFlag, outputFlags, textFlag } from "../../flags/flags.ts";
import { timeForms } from "../../../runtime/time.ts";
import { pageFlags, parseTime } from "../../flags/list-flags.ts";
import { checkActor } from "../../flags/checked-values.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withAccount } from "../../config/service-database.ts";
import { parseSelection, printPages } from "../../program/show-pages.ts";
import { databaseExits, describeReading, listOutput } from "../../output/command-facts.ts";

export default class ActivityList extends BaseCommand {
  static override summary = "List who did what in an account, newest first.";
  static override examples = [
    "payments activity list --since 24h",
    "payments activity list --actor Ada --action payment.refunded",
    "payments activity list --all -o csv --fields created,actor.name,action,subject.id",
  ];
  static override flags = {
    action: Flags.option({
      summary: "Only this action.",
      options: actions,
      helpValue: "<action>",
    })(),
    actor: textFlag("Only what this operator, key or user did, by name or id.", "<name>"),
    since: textFlag(`At or after this time: ${timeForms}.`, "<time>"),
    ...pageFlags(activityResource),
    ...accountFlag,
    ...databaseFlag,
    ...fieldsFlag(activityResource),
    ...outputFlags,
  };
  static facts = describeReading(
    { object: "list", fields: ["has_more", ...listOutput(activityResource.fields).fields] },
    databaseExits,
  );

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(ActivityList);
    const { action, since } = flags;
    const actor = checkActor(flags.actor);
    const created = since === undefined ? since : parseTime(since, "--since", Date.now());
    const filters = { action, actor, "created[gte]": created };
    const { total, ...selection } = parseSelection(this, activityResource, {
      flags,
      metadata,
      filters,
    });
    await withAccount(flags, async (service, account) => {
      const pages = listPages(
        selection.query,
        async (query) => {
          const { items, hasMore } = await service.listActivity(account, query);
          return { object: "list" as const, data: items, has_more: hasMore };
        },
        total,
      );
      const isEmpty = await printPages(this, activityResource, pages, selection);
      if (isEmpty) this.note(`No ${activityResource.many}.`, selection.output);
    });
  }
}
