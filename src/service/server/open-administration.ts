import {
  createAccount,
  createKey,
  listAccounts,
  listKeys,
  renameAccount,
  revokeKey,
  rollKey,
} from "../accounts/manage-accounts.ts";
import { listActivity } from "../accounts/accounts-service.ts";
import {
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
} from "../accounts/manage-operators.ts";
import { openService } from "./open-service.ts";

const administrative = {
  createAccount,
  listAccounts,
  renameAccount,
  listActivity,
  createKey,
  listKeys,
  revokeKey,
  rollKey,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
};

/** The use cases of commands that administer accounts, keys and operators. */
export type Administration = BoundUseCases<typeof administrative>;

/** Opens the administration of a database; `createsDatabase`: also where it is missing. Close it when done. */
export async function openAdministration(
  database: string,
  { createsDatabase }: { createsDatabase: boolean },
): Promise<{ administration: Administration; close: () => Promise<void> }> {
  const { service, close } = await openService({ database }, { migrates: false, createsDatabase });
  return { administration: bindUseCases(service, administrative), close };
}

type BoundUseCases<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends (
    service: never,
    ...rest: infer Rest
  ) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

/** Use cases of one service, as functions without it. */
export function bindUseCases<
  UseCases extends Record<string, (service: never, ...rest: never[]) => unknown>,
>(service: Parameters<UseCases[keyof UseCases]>[0], useCases: UseCases): BoundUseCases<UseCases> {
  const pairs = Object.entries(useCases).map(([name, useCase]) => [
    name,
    useCase.bind(null, service),
  ]);
  return Object.fromEntries(pairs) as BoundUseCases<UseCases>;
}
