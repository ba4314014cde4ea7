// Stress tests: attacks a service of its own on this machine, and prints memory, time, and whether others were served.
// An attack that succeeds fails the run.
//   npm run attack            all of it, some eight minutes
//   npm run attack -- fuzz    one part: largest-pages, unread-answers, held-connections, expired-records or fuzz
import { attackWithAnything } from "./attacks/fuzz.ts";
import { attackWithExpiredRecords } from "./attacks/expired-records.ts";
import { attackWithHeldConnections } from "./attacks/held-connections.ts";
import { attackWithLargestPages } from "./attacks/largest-pages.ts";
import { attackWithUnreadAnswers } from "./attacks/unread-answers.ts";
import type { Observation } from "./attacks/attacked.ts";

const attacks: Record<string, () => Promise<Observation[]>> = {
  "largest-pages": attackWithLargestPages,
  "unread-answers": attackWithUnreadAnswers,
  "held-connections": attackWithHeldConnections,
  "expired-records": attackWithExpiredRecords,
  fuzz: attackWithAnything,
};

const names = process.argv.slice(2);
for (const [name, attack] of Object.entries(attacks)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}`);
  const observations = await attack();
  console.table(
    observations.map(({ what, seen, max }) => ({ what, seen: Math.round(seen), max: max ?? "" })),
  );
  for (const { what, seen, max = Infinity } of observations) {
    if (seen <= max) continue;
    console.log(`${what}: ${Math.round(seen)} is more than ${max}.`);
    process.exitCode = 1;
  }
}
