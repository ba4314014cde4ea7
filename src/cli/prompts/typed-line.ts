import { once } from "node:events";
import { createInterface, emitKeypressEvents, type Key } from "node:readline";
import { canceled, type Terminal } from "./prompter.ts";

/** One line, edited and shown by the terminal itself. Ctrl-C and the end of input cancel. */
export async function readLine({ input, output }: Terminal, question: string): Promise<string> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  // Before the reader of lines hears of it: what was typed without Enter is no answer.
  input.once("end", leave);
  process.on("SIGINT", leave);
  const lines = createInterface({ input, terminal: false });
  output.write(`${question} `);
  try {
    const [line] = (await once(lines, "line", { signal: leaving.signal })) as [string];
    process.off("SIGINT", leave);
    return line;
  } catch {
    // Still listening: a launcher hands on the Ctrl-C that this process has heard by itself.
    output.write("\n");
    throw canceled();
  } finally {
    input.off("end", leave);
    lines.close();
  }
}

/** One line that is not shown while it is typed. */
export async function readHiddenLine(
  { input, output }: Terminal,
  question: string,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const hear = (character: string | undefined, key: Key) => {
    if (key.name === "return" || key.name === "enter") resolve(typed);
    else if (key.ctrl && (key.name === "c" || key.name === "d")) reject(canceled());
    else if (key.ctrl && key.name === "u") typed = "";
    else if (key.name === "backspace") typed = typed.slice(0, -1);
    else if (character !== undefined && /^\P{Cc}+$/u.test(character)) typed += character;
  };
  emitKeypressEvents(input);
  input.setRawMode(true);
  output.write(`${question} `);
  input.on("keypress", hear).resume();
  try {
    return await promise;
  } finally {
    input.off("keypress", hear).pause();
    input.setRawMode(false);
    output.write("\n");
  }
}
