import { Writable } from "node:stream";
import { styleText } from "node:util";
import { confirm, input, password, select } from "@inquirer/prompts";
import {
  canceled,
  pageSize,
  type Choice,
  type Prompter,
  type Search,
  type Terminal,
} from "./prompter.ts";
import { searchPrompt, type Row } from "./search-prompt.ts";
import { Interruption } from "../errors/interruption.ts";
import { gapWidth } from "../output/resource.ts";
import { drawRows } from "../output/table.ts";
import { measure, shorten } from "../output/text-layout.ts";

const showCursor = "\u001B[?25h";
const hiddenTheme = { prefix: "?", style: { maskedText: "[not shown]" } };

/** Creates prompts that are redrawn as the user types. */
export function createPrompter(terminal: Terminal): Prompter {
  const { output } = terminal;
  const print = (line: string) => void output.write(`${line}\n`);
  return {
    print,
    confirm: async (message) =>
      ask(terminal, async (context) => confirm({ message, default: false }, context)),
    text: async (message, validate) =>
      ask(terminal, async (context) =>
        input({ message, validate: (typed) => validate?.(typed) ?? true }, context),
      ),
    hidden: async (message, validate) => {
      for (;;) {
        // The library's own validation leaves a wrong secret in the prompt, and offers a key that reveals it.
        const config = { message, toggleMask: false, theme: hiddenTheme };
        const typed = await ask(terminal, async (context) => password(config, context));
        const mistake = validate?.(typed);
        if (mistake === undefined) return typed;
        print(styleText("red", `> ${mistake}`, { stream: output }));
      }
    },
    pick: async (message, choices) =>
      ask(terminal, async (context) => {
        const visible = { pageSize: fitHeight(15, terminal), loop: false };
        return await select({ message, choices: toRows(choices, terminal), ...visible }, context);
      }),
    search: async <T>({ question, searchable, find }: Search<T>) =>
      ask(terminal, async (context, fail) => {
        const help = styleText("dim", `Type ${searchable} • ↑↓ move • ⏎ choose`, {
          stream: output,
        });
        return await searchPrompt(
          {
            question,
            help,
            find,
            fail,
            pageSize: fitHeight(pageSize, terminal),
            toRows: (choices: Choice<T>[]) => toRows(choices, terminal),
          },
          context,
        );
      }),
  };
}

/** The lines around the choices of a prompt: the question, and below them details, a note and help, which may wrap. */
const linesAround = 7;

/** Limits the choices, so that the question and the marked one stay on the screen. */
function fitHeight(max: number, { output }: Terminal): number {
  return Math.max(1, Math.min(max, (output.rows || 24) - linesAround));
}

function toRows<T>(choices: Choice<T>[], { output }: Terminal): Row<T>[] {
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

type Context = { input: Terminal["input"]; output: Writable; signal: AbortSignal };

/** Runs a prompt of the library, and handles the end of input and a failing search, which the library does not. */
async function ask<T>(
  { input: keyboard, output }: Terminal,
  prompt: (context: Context, fail: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  const failing = new AbortController();
  const fail = (reason: unknown) => failing.abort(reason);
  const screen = recordFrames(output);
  // At Ctrl-D the library pauses the keyboard and waits for ever: `leave` cancels the prompt. After Ctrl-Z and
  // `fg` the keyboard is paused too, but `wake` resumes it first; the library then omits its pause at the end. What the
  // shell printed meanwhile stands where the prompt did, so the prompt is drawn again below it.
  const leave = () => setImmediate(() => keyboard.isPaused() && fail(canceled()));
  const wake = () =>
    process.nextTick(() => {
      keyboard.resume();
      screen.drawAgain();
    });
  // Runs before the library's own listener, which ends the process at once.
  const restoreTerminal = () => {
    keyboard.setRawMode(false);
    output.write(showCursor);
  };
  // A terminal that is closed cannot be restored: the library would fail when it tries.
  const hangUp = () => {
    try {
      restoreTerminal();
    } finally {
      process.exit(new Interruption("SIGHUP", { hasPrompted: true }).exitCode);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, restoreTerminal);
  process.once("SIGHUP", hangUp);
  keyboard.prependOnceListener("end", hangUp);
  keyboard.on("pause", leave);
  process.on("SIGCONT", wake);
  try {
    return await prompt({ input: keyboard, output: screen.output, signal: failing.signal }, fail);
  } catch (error) {
    if (failing.signal.aborted) throw failing.signal.reason;
    throw Error.isError(error) && error.name === "ExitPromptError" ? canceled() : error;
  } finally {
    keyboard.off("pause", leave);
    process.off("SIGCONT", wake);
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, restoreTerminal);
    process.off("SIGHUP", hangUp);
    keyboard.off("end", hangUp);
    keyboard.pause();
  }
}

/** How the library erases the frame before: it moves the cursor up, down and to the left, and erases lines. */
const erasing = new RegExp(String.raw`^(?:\u001B\[\d*[ABGK])+`);
/** A write that only moves the cursor within the frame. */
const moving = new RegExp(String.raw`^(?:\u001B\[\d*[A-H])+$`);

/** An output that remembers the frame that the library drew last, with the cursor's place in it. */
function recordFrames(terminal: Terminal["output"]) {
  let frame = "";
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const text = String(chunk);
      frame = moving.test(text) ? frame + text : text.replace(erasing, "");
      terminal.write(chunk, done);
    },
  });
  const size = { columns: { get: () => terminal.columns }, rows: { get: () => terminal.rows } };
  return {
    output: Object.defineProperties(output, size),
    drawAgain: () => void terminal.write(frame),
  };
}

const minReadableWidth = 8;
const minLastWidth = 10;

/**
 * Lays out rows of cells, and shortens them until no row is wider than `width`: first the last column, which
 * holds free text, then the widest. The first column, an amount, stays whole: half an amount is another
 * amount. Without room for a readable width the last columns are left out.
 */
export function fitRows(rows: string[][], width: number): string[] {
  const count = Math.max(...rows.map((row) => row.length), 0);
  let minWidth = -gapWidth;
  const columns = Array.from({ length: count }, (_, at) => ({
    at,
    width: Math.max(...rows.map((row) => measure(row[at] ?? ""))),
  }))
    .filter((column) => column.width > 0)
    .filter((column, index) => {
      minWidth +=
        gapWidth + (index === 0 ? column.width : Math.min(column.width, minReadableWidth));
      return index === 0 || minWidth <= width;
    });
  const [, ...later] = columns;
  const last = later.at(-1);
  let excess = columns.reduce((sum, column) => sum + column.width + gapWidth, -gapWidth) - width;
  for (; excess > 0; excess--) {
    const [widest] = later.toSorted((one, other) => other.width - one.width);
    const narrowed = last && last.width > minLastWidth ? last : widest;
    if (!narrowed) break;
    narrowed.width--;
  }
  const cells = rows.map((row) =>
    columns.map((column) => shorten(row[column.at] ?? "", column.width)),
  );
  return drawRows(cells).flat();
}
