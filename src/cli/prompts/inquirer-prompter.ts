import { styleText } from "node:util";
import { confirm, input, password, search, select, Separator } from "@inquirer/prompts";

import {
  type Prompter,
  canceled,
  type Choice,
  screenful,
  type Search,
  type Terminal,
} from "./prompter.ts";
import { fitRows } from "./fit-rows.ts";

const showCursor = "\u001B[?25h";
const unseen = { prefix: "?", style: { maskedText: "[not shown]" } };

/** Questions that are redrawn in place while somebody types. */
export function createPrompter(terminal: Terminal): Prompter {
  const { output } = terminal;
  const tell = (line: string) => void output.write(`${line}\n`);
  return {
    tell,
    confirm: async (message) =>
      asking(terminal, async (context) => confirm({ message, default: false }, context)),
    text: async (message, check) =>
      asking(terminal, async (context) =>
        input({ message, validate: (typed) => check?.(typed) ?? true }, context),
      ),
    hidden: async (message, check) => {
      for (;;) {
        // The library would offer a key that reveals what is typed, keep what is wrong, and tick it.
        const config = { message, toggleMask: false, theme: unseen };
        const typed = await asking(terminal, async (context) => password(config, context));
        const mistake = check?.(typed);
        if (mistake === undefined) return typed;
        tell(styleText("red", `> ${mistake}`, { stream: output }));
      }
    },
    pick: async (message, choices) =>
      asking(terminal, async (context) =>
        select({ message, choices: drawn(choices, terminal), pageSize: 15, loop: false }, context),
      ),
    search: async <T>({ question, searchable, find }: Search<T>) =>
      asking(terminal, async (context, fail) => {
        let shown: Drawn<T>[] = [];
        const source = async (typed = "", { signal }: { signal: AbortSignal }) => {
          // Tab puts the whole row of a choice in the place of what was typed.
          const completed = shown.filter(({ name }) => name === typed);
          if (completed.length > 0) return completed;
          try {
            const { choices, note } = await find(typed, signal);
            if (!signal.aborted) shown = drawn(choices, terminal);
            return note === undefined ? shown : [...shown, new Separator(note)];
          } catch (error) {
            fail(error);
            return [];
          }
        };
        const help = styleText("dim", `Type ${searchable} • ↑↓ move • ⏎ choose`, {
          stream: output,
        });
        const theme = { style: { keysHelpTip: () => help } };
        return await search({ message: question, source, pageSize: screenful, theme }, context);
      }),
  };
}

type Drawn<T> = { value: T; name: string; short: string; description?: string };

/** Choices as rows that fit beside the pointer. */
function drawn<T>(choices: Choice<T>[], { output }: Terminal): Drawn<T>[] {
  const rows = fitRows(
    choices.map(({ cells }) => cells),
    (output.columns || 80) - 3,
  );
  return choices.map(({ value, cells, detail }, at) => ({
    value,
    name: rows[at] ?? "",
    short: detail ?? cells[0] ?? "",
    ...(detail !== undefined && { description: detail }),
  }));
}

type Context = Terminal & { signal: AbortSignal };

/** Asks with the library, which knows neither the end of input nor a search that fails. */
async function asking<T>(
  { input: keyboard, output }: Terminal,
  ask: (context: Context, fail: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  const failing = new AbortController();
  const fail = (reason: unknown) => failing.abort(reason);
  // At Ctrl-D the library lets go of the keyboard and waits for ever. After Ctrl-Z and `fg` too:
  // there the keyboard is taken up again, and let go of at the end, which the library then omits.
  const leave = () => setImmediate(() => keyboard.isPaused() && fail(canceled()));
  const wake = () => process.nextTick(() => keyboard.resume());
  // Heard before the library, which then ends the process at once, where nobody else listens any more.
  const leaveAsFound = () => {
    keyboard.setRawMode(false);
    output.write(showCursor);
  };
  process.once("SIGTERM", leaveAsFound);
  keyboard.on("pause", leave);
  process.on("SIGCONT", wake);
  try {
    return await ask({ input: keyboard, output, signal: failing.signal }, fail);
  } catch (error) {
    if (failing.signal.aborted) throw failing.signal.reason;
    throw error instanceof Error && error.name === "ExitPromptError" ? canceled() : error;
  } finally {
    keyboard.off("pause", leave);
    process.off("SIGCONT", wake);
    process.off("SIGTERM", leaveAsFound);
    keyboard.pause();
  }
}
