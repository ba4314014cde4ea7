import { finish, PartLost, run, type Driver, type Statement } from "./driver.ts";
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
  try {
    if (!(await driver.read(() => run(takings.isAny())))) return [];
    return await taken(driver, takings.take());
  } catch (error) {
    if (!(error instanceof PartLost)) throw error;
  }
  return await takeByAccount(driver, takings);
}

/** Begins at any account, so that those at the end have their turn however much is due before them. */
async function takeByAccount<T>(driver: Driver, { take, limit }: Takings<T>): Promise<T[]> {
  const accounts = await driver.read(() => run(selectAccounts()));
  const first = Math.floor(Math.random() * accounts.length);
  const due: T[] = [];
  for (const { id } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
    if (due.length >= limit) break;
    const own = await taken(driver, take(id)).catch((error: unknown) => {
      if (error instanceof PartLost) return [];
      throw error;
    });
    due.push(...own);
  }
  return due;
}

async function taken<T>(driver: Driver, take: Statement<T[]>): Promise<T[]> {
  return await driver.write(function* () {
    return (yield* finish(take))[0];
  });
}
