import {
  reportFailure,
  reportOk,
  reportWarning,
  type Check,
} from "../../../contract/doctor-check.ts";
import type { Driver } from "../../store/driver.ts";
import { readSchema } from "../../store/migrate.ts";
import type { Step } from "./run-steps.ts";

/** `migratesItself`: whether the next command brings an older schema up to date. `migrate`: the command that does. */
type Expected = { name: string; migratesItself: boolean; migrate: string };

/** The check of the schema, and whether it has found one that this program can read. */
export function createSchemaStep(driver: Driver, expected: Expected) {
  let isUsable = false;
  const step: Step = {
    name: "schema",
    help: "payments --version",
    run: async () => {
      const schema = await readSchema(driver);
      isUsable = schema.databaseVersion >= schema.programVersion;
      return compareVersions(schema, expected);
    },
  };
  return { step, isUsable: () => isUsable };
}

function compareVersions(
  schema: { databaseVersion: number; programVersion: number },
  { name, migratesItself, migrate }: Expected,
): Check {
  const { databaseVersion: version, programVersion: needed } = schema;
  if (version === 0) {
    const detail = `${name} has no tables of payments. If it is meant for payments, make them.`;
    return reportFailure("schema", detail, migrate);
  }
  if (version < needed) {
    const detail = `The schema has version ${version}, and this program needs ${needed}.`;
    return migratesItself
      ? reportWarning("schema", `${detail} The next command brings it up to date.`, migrate)
      : reportFailure("schema", detail, migrate);
  }
  if (version === needed) return reportOk("schema", `The schema has version ${version}.`);
  const detail = `The schema has version ${version}, of a newer program. This one, made for ${needed}, still works with it.`;
  return reportWarning("schema", detail, "payments --version");
}
