import { cliMutations } from "./cli-mutations.ts";
import { clientMutations } from "./client-mutations.ts";
import type { Mutation } from "./place.ts";
import { serverMutations } from "./server-mutations.ts";
import { subjectsMutations } from "./subjects-mutations.ts";
import { webMutations } from "./web-mutations.ts";

/** All mutations. */
export const mutations: readonly Mutation[] = [
  ...clientMutations, // of runtime and contract, too
  ...subjectsMutations,
  ...serverMutations, // of the API, the networks and the sandbox, too
  ...webMutations,
  ...cliMutations,
];
