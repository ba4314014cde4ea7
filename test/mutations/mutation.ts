/** One way to break the source, and the tests that must notice. */
export type Mutation = {
  /** The harm to a user, in a few words. */
  breaks: string;
  /** The file, from `src`. */
  file: string;
  /** A text that is in the file once, and its replacement. */
  from: string;
  to: string;
  /** Test files, from `test`, as vitest takes them; as few as show it. */
  tests: readonly string[];
  /** The project of `vitest.config.ts` that has them: `sqlite` by default. */
  project?: "sqlite" | "browser" | "isolated" | "postgres";
};
