import { finishOne, PartLost, run, type Driver, type Statement } from "./driver.ts";
import { selectAccounts } from "./sql/accounts.ts";

/** How what is due is asked for: of one account where it is given, else of all. */
type Takings<T> = {
  isAny: () => Statement<boolean>;
  take: (accountId?: string) => Statement<T[]>;
  limit: number;
};

/**
 * Takes what is due. All accounts are asked together; where a machine behind the database is lost, each
 * on its own, so that the others need not wait for those that it holds.
 */
export async function takeDueOf<T>(driver: Driver, takings: Takings<T>): Promise<T[]> {
  const take = async (accountId?: string) => driver.write(() => finishOne(takings.take(accountId)));
  const takeAny = async () => ((await driver.read(() => run(takings.isAny()))) ? take() : []);
  return await ofAllAccounts(
    driver,
    async (accountId) => (accountId === undefined ? takeAny() : take(accountId)),
    takings.limit,
  );
}

/** What there is of all accounts together; where a machine is lost, of each on its own. */
export async function ofAllAccounts<T>(
  driver: Driver,
  find: (accountId?: string) => Promise<T[]>,
  limit = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof PartLost)) throw error;
  }
  const accounts = await driver.read(() => run(selectAccounts()));
  // It begins at any account, so that those at the end have their turn however much there is before them.
  const first = Math.floor(Math.random() * accounts.length);
  const all: T[] = [];
  for (const { id } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
    if (all.length >= limit) break;
    all.push(...(await unlessPartLost(find(id), [])));
  }
  return all;
}

/** What a piece of work gives; `otherwise` where it would need a machine that is lost. */
export async function unlessPartLost<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PartLost) return otherwise;
    throw error;
  }
}
