type Environment = Record<string, string | undefined>;

/** Ours, and those that PostgreSQL's libraries read: keys and passwords may be among them. */
const own = /^(?:PAYMENTS_|PG[A-Z]+$)/i;

/**
 * The environment for another program that is started: everything but the variables of this one. A
 * browser, and whatever it starts in turn, has no business with the API key or the database.
 */
export function createChildEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}
