import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseSync } from "rolldown/utils";
import type { Mutation } from "./mutations.ts";

/** A part of a file of the source. The text has blanks for comments, so that its positions are the file's. */
type Part = { file: string; names: readonly string[]; start: number; text: string };

/** Reads the source: each file as a whole, and each of its top-level declarations. */
export const readParts = (src = join(import.meta.dirname, "../../src")): Part[] =>
  globSync("**/*.{ts,js,css,sql}", { cwd: src }).flatMap((file) => {
    const source = readFileSync(join(src, file), "utf8");
    const name = basename(file);
    if (!file.endsWith(".ts")) return [{ file, names: [name], start: 0, text: source }];
    const { program, comments } = parseSync(file, source);
    let text = source;
    for (const { start, end } of comments) {
      text = text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
    }
    const declarations = program.body.map((statement) => ({
      file,
      names: readNames(statement).flatMap((declared) => [declared, `${name} ${declared}`]),
      start: statement.start,
      text: text.slice(statement.start, statement.end),
    }));
    return declarations.concat({ file, names: [name], start: 0, text });
  });

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];

const readNames = (statement: Statement): string[] => {
  if (
    statement.type === "ExportNamedDeclaration" ||
    statement.type === "ExportDefaultDeclaration"
  ) {
    return statement.declaration ? readNames(statement.declaration as Statement) : [];
  }
  if (statement.type === "VariableDeclaration") {
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? id.name : []));
  }
  return "id" in statement && statement.id?.type === "Identifier" ? [statement.id.name] : [];
};

/** Finds where a mutation changes the source: one place, unless the source has changed since it was written. */
export const findPlaces = ({ in: name, from }: Pick<Mutation, "in" | "from">, parts: Part[]) => {
  const words = from.match(/\w+|[^\w\s]/g) ?? [];
  const patterns = words.map((word) => {
    if (/\w/.test(word)) return `(?<!\\w)${word}(?!\\w)`;
    return /[)\]}]/.test(word) ? `,?\\s*\\${word}` : `\\${word}`;
  });
  const expression = new RegExp(patterns.join("\\s*"), "g");
  return parts
    .filter(({ names }) => names.includes(name))
    .flatMap(({ file, start, text }) =>
      [...text.matchAll(expression)].map((match) => ({
        file,
        start: start + match.index,
        end: start + match.index + match[0].length,
      })),
    );
};
