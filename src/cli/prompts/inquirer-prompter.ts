import type { Key } from "node:readline";
import { Writable } from "node:stream";
import { styleText } from "node:util";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import {
  canceled,
  pageSize,
  type Choice,
  type Prompter,
  type Search,
  type Terminal,
} from "./prompter.ts";
import { Interruption } from "../output/interruption.ts";
import { gapWidth } from "../output/resource.ts";
import { drawRows, measure, shorten } from "../output/table.ts";

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
    text: async (message, validate, { clears } = { clears: false }) => {
      const config = {
        message,
        validate: (typed: string) => validate?.(typed) ?? true,
        theme: { validationFailureMode: clears ? "clear" : "keep" } as const,
      };
      return await ask(terminal, async (context) => input(config, context));
    },
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
    search: async (options) => searchInRounds(terminal, options),
  };
}

type Row<T> = { value: T; name: string; short: string; description?: string };

/**
 * Lets the user choose among rows that match the typed text. The library asks once for the rows of a text: where more
 * of them arrive, or another note, this prompt gives way to one with the same text. The marked row stays marked, so
 * that Enter chooses what the user has read.
 */
async function searchInRounds<T>(
  terminal: Terminal,
  { question, searchable, find }: Search<T>,
): Promise<T> {
  const { input: keyboard, output } = terminal;
  const dim = (text: string) => styleText("dim", text, { stream: output });
  const help = dim(`Type ${searchable} • ↑↓ move • ⏎ choose`);
  let typed: string | undefined;
  /** The beginning of the typed text that the library has forgotten in this round. */
  let forgotten = "";
  let isLoading = true;
  let rows: Row<T>[] = [];
  let note: string | undefined;
  /** The description of the marked row. */
  let marked: string | undefined;
  let failure: { error: unknown } | undefined;
  let round = new AbortController();
  let following = new AbortController();
  let arrival = Promise.resolve();

  /** Resolves once there are rows to show; those that arrive later end the round. */
  async function follow(text: string): Promise<void> {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    const first = Promise.withResolvers<void>();
    let isFirst = true;
    const show = async () => {
      for await (const found of find(text, signal)) {
        if (signal.aborted) return;
        rows = toRows(found.choices, terminal);
        note = found.note;
        if (!isFirst) round.abort();
        isFirst = false;
        first.resolve();
      }
    };
    show()
      .catch((error: unknown) => {
        if (signal.aborted) return;
        failure = { error };
        round.abort();
      })
      .finally(first.resolve);
    await first.promise;
  }

  async function findRows(line: string): Promise<Row<T>[]> {
    const completed = rows.find(({ name }) => name === line); // by Tab
    const text = completed ? line : forgotten + line;
    isLoading = true;
    if (completed) {
      following.abort();
      [typed, rows, note] = [text, [completed], undefined];
    } else if (text !== typed) {
      typed = text;
      arrival = follow(text);
    }
    await arrival;
    if (text === typed) {
      isLoading = false;
      marked = undefined; // the library marks the first row, unless the round began with another
    }
    return rows;
  }

  // At an arrow key the library forgets the typed text: the next round has it again.
  const handleKey = (_: unknown, { name }: Key) => {
    if (isLoading || (name !== "up" && name !== "down")) return;
    forgotten = typed ?? "";
    const ending = round;
    setImmediate(() => ending.abort());
  };
  keyboard.on("keypress", handleKey);
  const theme = {
    style: {
      description: (text: string) => {
        marked = text;
        return styleText("cyan", text);
      },
      error: () => "", // the note says that nothing was found
      keysHelpTip: () => [note, help].filter(Boolean).join("\n"),
    },
  };
  try {
    for (;;) {
      round = new AbortController();
      forgotten = "";
      const { signal: over } = round;
      const before = rows.find(({ description }) => description === marked);
      const config = {
        message: question,
        source: async (text = "") => findRows(text),
        pageSize: fitHeight(pageSize, terminal),
        theme,
        ...(typed !== undefined && { initialValue: typed }),
        ...(before && { default: before.value }),
      };
      const chosen = await ask(
        terminal,
        async (context) => {
          const signal = AbortSignal.any([context.signal, over]);
          const screen = {
            ...context,
            signal,
            get clearPromptOnDone() {
              return over.aborted && !failure; // else the prompt stays on the screen
            },
          };
          try {
            return { value: await search(config, screen) };
          } catch (error) {
            if (!over.aborted || context.signal.aborted) throw error;
            return undefined;
          }
        },
        { continues: typed !== undefined },
      );
      if (chosen) return chosen.value;
      if (failure) throw failure.error;
    }
  } finally {
    following.abort();
    keyboard.off("keypress", handleKey);
  }
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

/**
 * Runs a prompt of the library, and handles the end of input, which the library does not. A prompt that `continues`
 * another one gets all keys; otherwise those that were typed before the question are dropped.
 */
async function ask<T>(
  { input: keyboard, output }: Terminal,
  prompt: (context: Context) => Promise<T>,
  { continues = false } = {},
): Promise<T> {
  const failing = new AbortController();
  const screen = recordFrames(output);
  // At Ctrl-D the library pauses the keyboard and waits for ever: `leave` cancels the prompt. After Ctrl-Z and
  // `fg` the keyboard is paused too, but `wake` resumes it first; the library then omits its pause at the end. What the
  // shell printed meanwhile stands where the prompt did, so the prompt is drawn again below it.
  const leave = () => setImmediate(() => keyboard.isPaused() && failing.abort(canceled()));
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
  process.on("SIGCONT", wake);
  try {
    const answer = prompt({ input: keyboard, output: screen.output, signal: failing.signal });
    // The library discards the keys that come before its first frame, which it draws in the next turn of the loop.
    if (continues) {
      keyboard.pause();
      setImmediate(() => keyboard.resume());
    }
    keyboard.on("pause", leave);
    return await answer;
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
      terminal.write(chunk);
      done(); // at once: the command may print its next line before a queue of frames is written
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
