import { globSync } from "node:fs";
import { defineConfig, type OxlintOverride } from "oxlint";
import manifest from "./package.json" with { type: "json" };

/**
 * The layers and rooms: who may import whom, from the ground up. A room is a folder of src and may import the
 * rooms of its row, and those packages that stand in it and nowhere else. The command and the service meet in
 * `service/server` only, where the command opens it.
 */
const ground = ["runtime", "contract"];
/** What stands on nothing of the service but the database. */
const base = [...ground, "service/database"];
const subjects = [
  "networks",
  "search",
  "accounts",
  "idempotency",
  "requests",
  "reports",
  "webhooks",
  "payments",
  "checkout",
  "history",
].map((name) => `service/${name}`);
const house: Record<string, { rooms: string[]; packages: string[] }> = {
  runtime: { rooms: [], packages: ["standardwebhooks", "undici"] },
  contract: { rooms: ["runtime"], packages: ["zod"] },
  client: { rooms: ground, packages: ["standardwebhooks", "zod"] },

  "service/database": { rooms: ground, packages: ["pg", "pg-connection-string", "uuid"] },
  "service/networks": { rooms: base, packages: ["stripe", "zod"] },
  "service/search": { rooms: base, packages: [] },
  "service/accounts": { rooms: base, packages: [] },
  "service/requests": { rooms: [...base, "service/accounts"], packages: [] },
  "service/reports": { rooms: [...base, "service/accounts"], packages: [] },
  "service/idempotency": { rooms: [...base, "service/accounts"], packages: [] },
  "service/webhooks": {
    rooms: [...base, "service/accounts", "service/idempotency"],
    packages: ["undici"],
  },
  "service/payments": {
    rooms: [
      ...base,
      "service/networks",
      "service/search",
      "service/accounts",
      "service/idempotency",
      "service/webhooks",
    ],
    packages: [],
  },
  "service/history": {
    rooms: [
      ...base,
      "service/accounts",
      "service/requests",
      "service/webhooks",
      "service/payments",
    ],
    packages: [],
  },
  "service/checkout": { rooms: [...base, ...subjects], packages: [] },
  "service/service": { rooms: [...base, ...subjects], packages: [] },
  "service/web": {
    rooms: [...base, ...subjects, "service/service"],
    packages: ["fastify"],
  },
  "service/http": {
    rooms: [...base, ...subjects, "service/service", "service/web"],
    packages: ["fastify", "zod"],
  },
  "service/sandbox": {
    rooms: [...base, ...subjects, "service/service", "service/web", "service/http"],
    packages: ["fastify", "zod"],
  },
  "service/server": {
    rooms: [...ground, "service"],
    packages: ["pino-pretty", "prom-client", "sonic-boom"],
  },

  "cli/output": {
    rooms: [...ground, "client"],
    packages: ["chalk", "cli-table3", "fast-string-width", "fast-wrap-ansi"],
  },
  "cli/flags": {
    rooms: [...ground, "client", "cli/output"],
    packages: ["@oclif/core", "csv-parse"],
  },
  "cli/config": {
    rooms: [...ground, "client", "cli/output", "cli/flags", "service/server"],
    packages: ["chalk", "@oclif/core", "conf", "@napi-rs/keyring"],
  },
  "cli/fixtures": {
    rooms: [...ground, "client", "cli/output", "cli/flags"],
    packages: ["@humanwhocodes/momoa", "zod"],
  },
  "cli/doctor": {
    rooms: [...ground, "client", "cli/output", "cli/config", "cli/flags", "service/server"],
    packages: [],
  },
  "cli/reconcile": {
    rooms: [...ground, "cli/output", "cli/config", "cli/flags", "service/server"],
    packages: ["@oclif/core", "chalk"],
  },
  "cli/refunds": {
    rooms: [...ground, "client", "cli/output", "cli/config", "cli/flags"],
    packages: ["@oclif/core"],
  },
  "cli/listen": {
    rooms: [...ground, "client", "cli/output", "cli/config", "cli/flags"],
    packages: ["@oclif/core"],
  },
  "cli/sandbox": {
    rooms: [
      ...ground,
      "client",
      "cli/output",
      "cli/config",
      "cli/flags",
      "cli/fixtures",
      "cli/listen",
      "service/server",
    ],
    packages: ["@oclif/core"],
  },
  "cli/prompts": {
    rooms: [...ground, "client", "cli/output", "cli/flags"],
    packages: ["@inquirer/prompts"],
  },
  "cli/help": {
    rooms: [...ground, "cli/output", "cli/flags"],
    packages: ["@oclif/core", "chalk"],
  },
  "cli/commands": {
    rooms: [...ground, "client", "cli", "service/server"],
    packages: ["@oclif/core", "chalk"],
  },
  "cli/program": {
    rooms: [...ground, "client", "cli", "service/server"],
    packages: ["@oclif/core", "chalk"],
  },
};

const files = globSync("src/**/*.ts").map((file) => file.slice("src/".length));

/**
 * The rule for one room. The linter's expressions have no lookahead, so that what is allowed becomes
 * a list of all that is not: the other rooms' files, and the other packages. A file of the same layer
 * is imported without the layer's name, or with it.
 */
function overrideOf([room, allowed]: [string, (typeof house)[string]]): OxlintOverride {
  const layer = room.split("/", 1)[0] ?? "";
  const forbidden = files
    .filter((file) => ![room, ...allowed.rooms].some((place) => isIn(file, place)))
    .map((file) => (isIn(file, layer) ? file.slice(layer.length + 1) : file));
  const packages = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).filter((name) => !allowed.packages.includes(name));
  const names = [...allowed.rooms, ...allowed.packages].join(", ") || "nothing";
  const message = `src/${room} may import only ${names}: see oxlint.config.ts.`;
  const patterns = [
    {
      regex: `^(?:\\.\\./)+(?:${layer}/)?(?:${forbidden.join("|").replaceAll(".", "\\.")})$`,
      message,
    },
    { regex: `^(?:${packages.join("|")})(?:/|$)`, message },
  ];
  return {
    files: [`src/${room}/**/*.ts`, `src/${room}.ts`],
    rules: {
      "max-lines": "off",
      "no-restricted-imports": ["error", { patterns }],
    },
  };
}

function isIn(file: string, place: string): boolean {
  return file === `${place}.ts` || file.startsWith(`${place}/`);
}

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
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
  overrides: [
    // A file that stands in no room: it may have no line at all.
    { files: ["src/**/*.ts"], rules: { "max-lines": ["error", { max: 0 }] } },
    ...Object.entries(house).map(overrideOf),
  ],
});
