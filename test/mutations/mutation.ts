/** One way to break the source, and the tests that have to notice. */
export type Mutation = {
  /** What no longer holds, in a few words. */
  breaks: string;
  /** The file, from `src`. */
  file: string;
  /** A piece of its text that stands there once, and what is put in its place. */
  from: string;
  to: string;
  /** Test files, from `test`, as vitest takes them; the fewest that show it. */
  tests: readonly string[];
  /** The project of `vitest.config.ts` that has them: `sqlite` by default. */
  project?: "sqlite" | "browser" | "isolated" | "postgres";
};
