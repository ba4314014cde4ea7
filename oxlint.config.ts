import { readdirSync } from "node:fs";
import { defineConfig } from "oxlint";
import manifest from "./package.json" with { type: "json" };

/**
 * The house: who may import whom. A room is a folder of src; `packages` are the third-party
 * libraries that stand in it and nowhere else. Files directly in src wire the rooms together.
 */
const rooms: Record<string, { rooms: string[]; packages: string[] }> = {
  contract: { rooms: [], packages: ["zod"] },
  domain: { rooms: ["contract"], packages: [] },
  service: { rooms: ["contract", "domain"], packages: [] },
  network: { rooms: ["service/ports", "domain", "contract"], packages: [] },
  store: {
    rooms: ["service/ports", "domain", "contract"],
    packages: ["pg", "pg-connection-string"],
  },
  http: {
    rooms: ["service", "contract", "page"],
    packages: ["fastify", "@fastify/rate-limit", "@fastify/under-pressure", "zod"],
  },
  metrics: {
    rooms: ["service/ports", "store/driver", "http/overload", "http/request-log"],
    packages: ["prom-client"],
  },
  page: { rooms: ["contract"], packages: [] },
  client: { rooms: ["contract"], packages: ["undici", "zod"] },
  config: {
    rooms: ["contract", "database-name", "unreadable"],
    packages: ["zod", "@napi-rs/keyring"],
  },
  output: { rooms: ["contract"], packages: ["chalk", "fast-string-width", "fast-wrap-ansi"] },
  input: { rooms: ["contract", "exit-codes", "unreadable"], packages: [] },
  prompts: {
    rooms: ["input", "output", "contract", "client/errors", "domain/card", "exit-codes"],
    packages: ["@inquirer/prompts"],
  },
  "command-line": {
    rooms: ["contract", "input/expectation", "exit-codes"],
    packages: ["@oclif/core", "fastest-levenshtein"],
  },
  completion: { rooms: ["command-line"], packages: [] },
  help: {
    rooms: ["command-line", "output/style", "exit-codes"],
    packages: ["@oclif/core", "chalk"],
  },
  commands: {
    rooms: [
      "client",
      "config",
      "input",
      "prompts",
      "output",
      "contract",
      "base-command",
      "connect",
      "flags",
      "interruption",
      "migrate-database",
      "back-up-database",
      "open-in-browser",
      "write-pages",
      "exit-codes",
      "command-line",
      "completion",
      "help",
    ],
    packages: ["@oclif/core"],
  },
};

/**
 * The rule for one room. The linter's expressions have no lookahead, so that what is allowed becomes
 * a list of all that is not: the other rooms, the files that wire them, and the other packages.
 */
function overrideOf([room, allowed]: [string, (typeof rooms)[string]]) {
  const others = [
    ...Object.keys(rooms).map((name) => `${name}/`),
    ...filesIn("src"),
    ...["client", "domain", "service", "store", "http"].flatMap((name) =>
      filesIn(`src/${name}`).map((file) => `${name}/${file}`),
    ),
  ].filter((place) => place !== `${room}/` && !isAllowed(place, allowed.rooms));
  const packages = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).filter((name) => !allowed.packages.includes(name));
  const names = [...allowed.rooms, ...allowed.packages].join(", ") || "nothing";
  const message = `src/${room} may import only ${names}: see oxlint.config.ts.`;
  const patterns = [
    { regex: `^(?:\\.\\./)+(?:${others.join("|")})`, message },
    { regex: `^(?:${packages.join("|")})(?:/|$)`, message },
  ];
  return {
    files: [`src/${room}/**/*.ts`],
    rules: { "no-restricted-imports": ["error" as const, { patterns }] satisfies [string, object] },
  };
}

function isAllowed(place: string, allowedPlaces: string[]): boolean {
  return allowedPlaces.some(
    (allowed) =>
      place === `${allowed}.ts` || place.startsWith(`${allowed}/`) || allowed.startsWith(place),
  );
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".ts"));
}

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    "import/no-cycle": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/switch-exhaustiveness-check": [
      "error",
      { considerDefaultExhaustiveForUnions: true },
    ],
    // Waiting in a loop is what retries and pages are.
    "no-await-in-loop": "off",
    // A row of the database or a parsed body is given its type in one place, by an assertion.
    "typescript/no-unsafe-type-assertion": "off",
    // Lengths count code points, which is what spreading a string gives.
    "typescript/no-misused-spread": "off",
    "promise/no-promise-in-callback": "off",
  },
  overrides: Object.entries(rooms).map(overrideOf),
});
