import { once } from "node:events";
import { createInterface, emitKeypressEvents, type Key } from "node:readline";
import { canceled, type Terminal } from "./prompter.ts";

/** Reads a line; the terminal itself edits and shows it. Ctrl-C and the end of input cancel. */
export async function readLine({ input, output }: Terminal, question: string): Promise<string> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  // Registered before readline's own listener, which would accept text without Enter as an answer.
  input.once("end", leave);
  process.on("SIGINT", leave);
  const lines = createInterface({ input, terminal: false });
  output.write(`${question} `);
  try {
    const [line] = (await once(lines, "line", { signal: leaving.signal })) as [string];
    process.off("SIGINT", leave);
    return line;
  } catch {
    // The SIGINT listener stays: the launcher may pass on the Ctrl-C that this process has already received.
    output.write("\n");
    throw canceled();
  } finally {
    input.off("end", leave);
    lines.close();
  }
}

/** Reads a line that is not shown as it is typed. */
export async function readHiddenLine(
  { input, output }: Terminal,
  question: string,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const handleKey = (character: string | undefined, key: Key) => {
    if (key.name === "return" || key.name === "enter") resolve(typed);
    else if (key.ctrl && (key.name === "c" || key.name === "d")) reject(canceled());
    else if (key.ctrl && key.name === "u") typed = "";
    else if (key.name === "backspace") typed = typed.slice(0, -1);
    else if (character !== undefined && /^\P{Cc}+$/u.test(character)) typed += character;
  };
  emitKeypressEvents(input);
  input.setRawMode(true);
  output.write(`${question} `);
  input.on("keypress", handleKey).resume();
  try {
    return await promise;
  } finally {
    input.off("keypress", handleKey).pause();
    input.setRawMode(false);
    output.write("\n");
  }
}
