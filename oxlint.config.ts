import { globSync } from "node:fs";
import { defineConfig, type OxlintOverride } from "oxlint";
import manifest from "./package.json" with { type: "json" };

/**
 * The house: who may import whom. A room is a folder of src, and so is a wing; `packages` are the
 * third-party libraries that stand in it and nowhere else. The command and the service meet at two
 * doors only, where the command opens what is in `service/run`. `cli/*` are the files that stand in
 * the wing itself: what all its commands share.
 */
const house: Record<string, { rooms: string[]; packages: string[] }> = {
  runtime: { rooms: [], packages: [] },
  contract: { rooms: [], packages: ["zod"] },
  client: { rooms: ["contract"], packages: ["standardwebhooks", "undici", "zod"] },

  "service/domain": { rooms: ["contract"], packages: [] },
  "service/use-cases": { rooms: ["runtime", "contract", "service/domain"], packages: [] },
  "service/network": {
    rooms: [
      "runtime",
      "contract",
      "client/transport",
      "client/failure-reason",
      "service/domain",
      "service/use-cases/card-network",
    ],
    packages: ["stripe", "zod"],
  },
  "service/store": {
    rooms: [
      "runtime",
      "contract",
      "service/domain",
      "service/use-cases/ports",
      "service/use-cases/account-store",
      "service/use-cases/event-store",
      "service/use-cases/kept-answers",
      "service/use-cases/listed-range",
      "service/use-cases/operator-store",
      "service/use-cases/payment-store",
      "service/use-cases/totals-store",
    ],
    packages: ["pg", "pg-connection-string"],
  },
  "service/page": { rooms: ["contract", "service/domain/typed-card"], packages: [] },
  "service/http": {
    rooms: ["runtime", "contract", "service/use-cases", "service/page"],
    packages: ["fastify", "@fastify/rate-limit", "zod"],
  },
  "service/dashboard": {
    rooms: [
      "contract",
      "service/domain",
      "service/use-cases",
      "service/page/card-brands",
      "service/page/design",
      "service/page/escape-html",
      "service/page/unbroken",
      "service/http/cross-site",
      "service/http/error-reply",
      "service/http/form-body",
      "service/http/no-such-route",
      "service/http/pages",
      "service/http/target",
      "service/http/validate",
      "service/http/window-counts",
    ],
    packages: ["fastify"],
  },
  "service/webhooks": {
    rooms: [
      "client/dispatch",
      "client/failure-reason",
      "client/retry-timing",
      "client/webhook-headers",
      "service/domain",
      "service/use-cases/webhook-sender",
    ],
    packages: ["undici"],
  },
  "service/metrics": {
    rooms: [
      "contract",
      "service/use-cases/card-network",
      "service/use-cases/event-store",
      "service/use-cases/payment-store",
      "service/use-cases/ports",
      "service/store/driver",
      "service/http/overload",
      "service/http/request-log",
    ],
    packages: ["prom-client"],
  },
  "service/run": {
    rooms: ["contract", "service"],
    packages: ["pino-pretty", "sonic-boom", "uuid"],
  },

  "cli/endings": {
    rooms: ["contract", "client/errors", "cli/output/problem-text"],
    packages: [],
  },
  "cli/output": {
    rooms: ["contract", "client/webhook-forwarder"],
    packages: ["chalk", "cli-table3", "fast-wrap-ansi", "string-width"],
  },
  "cli/input": { rooms: ["contract", "client", "cli/endings"], packages: [] },
  "cli/settings": {
    rooms: ["contract", "cli/endings", "cli/input"],
    packages: ["conf", "@napi-rs/keyring"],
  },
  "cli/listening": { rooms: ["contract", "client", "cli/endings", "cli/settings"], packages: [] },
  "cli/prompts": {
    rooms: ["contract", "client/errors", "cli/endings", "cli/input", "cli/output"],
    packages: ["@inquirer/prompts"],
  },
  "cli/usage": {
    rooms: ["contract", "cli/endings", "cli/input", "cli/output/style", "cli/output/columns"],
    packages: ["@oclif/core", "chalk", "fastest-levenshtein"],
  },
  "cli/commands": {
    rooms: ["contract", "client", "cli", "service/run"],
    packages: ["@oclif/core"],
  },
  "cli/*": {
    rooms: ["contract", "client", "cli", "service/run"],
    packages: ["@oclif/core", "chalk"],
  },
};

const files = globSync("src/**/*.ts").map((file) => file.slice("src/".length));

/**
 * The rule for one room. The linter's expressions have no lookahead, so that what is allowed becomes
 * a list of all that is not: the other rooms' files, and the other packages. A file of the same wing
 * is imported without the wing's name, or with it.
 */
function overrideOf([room, allowed]: [string, (typeof house)[string]]): OxlintOverride {
  const wing = room.split("/", 1)[0] ?? "";
  const forbidden = files
    .filter((file) => ![room, ...allowed.rooms].some((place) => isIn(file, place)))
    .map((file) => (isIn(file, wing) ? file.slice(wing.length + 1) : file));
  const packages = Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).filter((name) => !allowed.packages.includes(name));
  const names = [...allowed.rooms, ...allowed.packages].join(", ") || "nothing";
  const message = `src/${room} may import only ${names}: see oxlint.config.ts.`;
  const patterns = [
    {
      regex: `^(?:\\.\\./)+(?:${wing}/)?(?:${forbidden.join("|").replaceAll(".", "\\.")})$`,
      message,
    },
    { regex: `^(?:${packages.join("|")})(?:/|$)`, message },
  ];
  return {
    files: [room.endsWith("/*") ? `src/${room}.ts` : `src/${room}/**/*.ts`],
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
