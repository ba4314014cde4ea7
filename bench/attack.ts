// Attacks a running service, and prints what it bore: memory, time, and whether others were served.
// All of it goes to a service of its own on this machine; an attack that succeeds fails the run.
//   npm run attack            all of it, some eight minutes
//   npm run attack -- fuzz    one part: largest-pages, unread-answers, held-connections, expired-records or fuzz
import { attackWithAnything } from "./attacks/fuzz.ts";
import { attackWithExpiredRecords } from "./attacks/expired-records.ts";
import { attackWithHeldConnections } from "./attacks/held-connections.ts";
import { attackWithLargestPages } from "./attacks/largest-pages.ts";
import { attackWithUnreadAnswers } from "./attacks/unread-answers.ts";
import type { Borne } from "./attacks/attacked.ts";

const attacks: Record<string, () => Promise<Borne[]>> = {
  "largest-pages": attackWithLargestPages,
  "unread-answers": attackWithUnreadAnswers,
  "held-connections": attackWithHeldConnections,
  "expired-records": attackWithExpiredRecords,
  fuzz: attackWithAnything,
};

const asked = process.argv.slice(2);
for (const [name, attack] of Object.entries(attacks)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n${name}`);
  const borne = await attack();
  console.table(
    borne.map(({ what, seen, most }) => ({ what, seen: Math.round(seen), most: most ?? "" })),
  );
  for (const { what, seen, most = Infinity } of borne) {
    if (seen <= most) continue;
    console.log(`${what}: ${Math.round(seen)} is more than ${most}.`);
    process.exitCode = 1;
  }
}
