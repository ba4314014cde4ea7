import { wantsPlainScreen } from "../output/plain-screen.ts";
import type { Asker, Terminal } from "./asker.ts";

/** Questions in the way that this terminal and this person need; loads only the one that is used. */
export async function openAsker(
  terminal: Terminal,
  env: Record<string, string | undefined>,
): Promise<Asker> {
  if (wantsPlainScreen(env)) {
    const { plainAsker } = await import("./plain.ts");
    return plainAsker(terminal);
  }
  const { redrawnAsker } = await import("./redrawn.ts");
  return redrawnAsker(terminal);
}
