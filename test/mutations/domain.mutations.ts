import type { Mutation } from "./mutation.ts";

export const mutations: readonly Mutation[] = [
  {
    breaks: "a cursor of another account is accepted for this list",
    file: "service/domain/list-range.ts",
    from: "if (cursor !== undefined && !(await find(cursor)))",
    to: "if (cursor !== undefined && !find(cursor))",
    tests: ["service/http/isolation"],
  },
];
