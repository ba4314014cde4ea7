import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What rests on a store runs on each of them; what is one driver's own runs once. */
const onBothStores = [
  "service/store/store.test.ts",
  "service/use-cases/**/*.test.ts",
  "service/http/**/*.test.ts",
  "client/**/*.test.ts",
  "service/run/{server,server-pages,shutdown}.test.ts",
  "cli/commands/{create,create-{hosted,input,request,wait},get,list,list-pages,refund*,failures,whoami,serve}.test.ts",
  "cli/commands/keys/*.test.ts",
  "e2e/{at-once,embedded-and-served,hosted-page*,killed-service,lost-answers,used-keys}.test.ts",
];
const onPostgresAlone = ["service/store/postgres*.test.ts", "e2e/replicas-*.test.ts"];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    maxWorkers: Math.ceil(availableParallelism() * 1.5), // many tests wait more than they work
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          include: ["**/*.test.ts"],
          exclude: onPostgresAlone,
          provide: { postgresUrl: undefined },
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: [...onBothStores, ...onPostgresAlone],
          globalSetup: [join(import.meta.dirname, "postgres-for-all.ts")],
        },
      },
    ],
  },
});
