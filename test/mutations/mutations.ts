import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One way to break the source, and the tests that must notice. */
export type Mutation = {
  /** The harm to a user, in a few words. */
  breaks: string;
  /**
   * The name of the top-level declaration that is changed, wherever in `src` it stands. The file's name stands before
   * it where `from` is in two declarations of that name, and alone for what is not TypeScript: `forms.css`.
   */
  in: string;
  /**
   * What is in that declaration once, and its replacement. It is compared word by word: white space, line breaks,
   * comments and the comma that a formatter adds at a line's end do not matter.
   */
  from: string;
  to: string;
  /** Test files, from `test`, as vitest takes them; as few as show it. */
  tests: readonly string[];
  /** The project of `vitest.config.ts` that has them. */
  project: string;
};

/**
 * Reads mutations as the files of this folder have them: below the tests that notice, `@ service/a cli/b (postgres)`,
 * each has its declaration and harm, `payPage: two customers are charged`, and its change as lines of a diff. A change
 * without a line of `+` removes what the line of `-` has.
 */
export const readMutations = (text: string): Mutation[] =>
  text.split("\n\n").flatMap((group) => {
    const [heading = "", ...lines] = group.trimEnd().split("\n");
    const [, tests, project] = /^@ ([^()]+?)(?: \((\w+)\))?$/.exec(heading) ?? [];
    const changes = lines.join("\n").split(/\n(?![-+] )/);
    return changes.map((change) => {
      const [, name, breaks, from, to] = /^(.+?): (.+)\n- (.+)(?:\n\+ (.+))?$/.exec(change) ?? [];
      if (!tests || !name || !breaks || !from) throw new Error(`No mutation: ${heading} ${change}`);
      return {
        breaks,
        in: name,
        from,
        to: to ?? "",
        tests: tests.split(" "),
        project: project ?? "sqlite",
      };
    });
  });

/** All mutations. */
export const mutations = globSync("*.txt", { cwd: import.meta.dirname }).flatMap((file) =>
  readMutations(readFileSync(join(import.meta.dirname, file), "utf8")),
);
