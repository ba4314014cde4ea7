import { resolveAccount, resolveDatabase } from "../config/resolve-settings.ts";
import { selectAccount } from "../config/service-database.ts";
import type { Administration } from "../../service/server/administration.ts";
import { ListCommand } from "./list-command.ts";

type DatabaseFlags = { database?: string | undefined };
type AccountFlags = DatabaseFlags & { account?: string | undefined };

/** The base of commands that act on the service's own database; some of them list what it has. */
export abstract class DatabaseCommand extends ListCommand {
  /** Runs `work` on the service. Its database must exist, named or not, unless this command `begins` one. */
  protected async withService<T>(
    { database }: DatabaseFlags,
    work: (service: Administration) => Promise<T>,
    { begins = false } = {},
  ): Promise<T> {
    const { openAdministration } = await import("../../service/server/administration.ts");
    const { administration, close } = await openAdministration(
      resolveDatabase(database, process.env),
      { begins },
    );
    try {
      return await work(administration);
    } finally {
      await close();
    }
  }

  /** Runs `work` in the named account, else in the only one there is. */
  protected async withAccount<T>(
    flags: AccountFlags,
    work: (service: Administration, account: string) => Promise<T>,
  ): Promise<T> {
    return await this.withService(flags, async (service) => {
      const named = resolveAccount(flags.account, process.env);
      return await work(service, selectAccount(await service.listAccounts(), named).id);
    });
  }

  /** Runs `work` for the named account, else for all of them. */
  protected async withAccountFilter<T>(
    flags: AccountFlags,
    work: (service: Administration, account?: string) => Promise<T>,
  ): Promise<T> {
    const isNamed = resolveAccount(flags.account, process.env) !== undefined;
    return await (isNamed ? this.withAccount(flags, work) : this.withService(flags, work));
  }
}
