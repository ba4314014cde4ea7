import { fileURLToPath } from "node:url";

type Environment = Record<string, string | undefined>;

/** Ours, and those that PostgreSQL's libraries read: keys and passwords may be among them. */
const own = /^(?:PAYMENTS_|PG[A-Z]+$)/i;

/**
 * The environment for another program that is started: everything but the variables of this one. A
 * browser, and the programs that it starts, must not get the API key or the database's password.
 */
export function createChildEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}

/** The path of a program beside a module, by the module's address: a .cjs file in a build, else the source itself. */
export function findProgramBeside(url: string, name: string): string {
  return fileURLToPath(new URL(`./${name}.${url.endsWith(".ts") ? "ts" : "cjs"}`, url));
}
