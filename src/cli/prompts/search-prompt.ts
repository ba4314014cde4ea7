import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from "@inquirer/core";
import type { Choice, Search } from "./prompter.ts";

/** A choice on one line of the screen. */
export type Row<T> = { value: T; name: string; short: string; description?: string };

type Config<T> = Pick<Search<T>, "question" | "find"> & {
  /** The line below the choices. */
  help: string;
  /** The number of choices on the screen at once. */
  pageSize: number;
  toRows: (choices: Choice<T>[]) => Row<T>[];
  /** Ends the prompt, because the search has failed. */
  fail: (error: unknown) => void;
};

type Found<T> = { typed: string; rows: Row<T>[]; note?: string | undefined; isPartial: boolean };

/**
 * Lets the user choose among rows that match the typed text. Unlike the library's own search it shows rows as they
 * arrive. The marked row stays marked meanwhile, so that Enter chooses what the user has read.
 */
export const searchPrompt = createPrompt(<T>(config: Config<T>, done: (value: T) => void) => {
  const { question, help, pageSize } = config;
  const theme = makeTheme({});
  const [chosen, setChosen] = useState<Row<T>>();
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState<Found<T>>({ typed, rows: [], isPartial: true });
  const [marked, setMarked] = useState<{ value: T }>();
  const { rows } = found;
  const active = Math.max(
    0,
    rows.findIndex(({ value }) => value === marked?.value),
  );
  const isCurrent = found.typed === typed;
  const current = isCurrent ? rows[active] : undefined;
  const isLoading = !isCurrent || found.isPartial;
  const status = chosen ? "done" : isLoading ? "loading" : "idle";

  useEffect(() => {
    if (rows.some(({ name }) => name === typed)) return undefined; // completed by Tab
    const leaving = new AbortController();
    void follow(leaving.signal);
    return () => leaving.abort();
  }, [typed]);

  async function follow(signal: AbortSignal): Promise<void> {
    let isMarked = false;
    try {
      for await (const { choices, note, isPartial = false } of config.find(typed, signal)) {
        if (signal.aborted) return;
        const next = config.toRows(choices);
        const [first] = next;
        if (first && !isMarked) setMarked(first);
        isMarked ||= first !== undefined;
        setFound({ typed, rows: next, note, isPartial });
      }
    } catch (error) {
      if (!signal.aborted) config.fail(error);
    }
  }

  useKeypress((key, keyboard) => {
    const restore = (line = typed) => {
      keyboard.clearLine(0);
      keyboard.write(line);
    };
    if (isEnterKey(key)) {
      restore();
      if (!current) return;
      setChosen(current);
      done(current.value);
    } else if (isTabKey(key)) {
      restore(current?.name);
      if (!current) return;
      setTyped(current.name);
      setFound({ typed: current.name, rows: [current], isPartial: false });
    } else if (isUpKey(key) || isDownKey(key)) {
      restore();
      const next = rows[active + (isUpKey(key) ? -1 : 1)];
      if (next) setMarked(next);
    } else {
      setTyped(keyboard.line);
    }
  });

  const page = usePagination({
    items: rows,
    active,
    renderItem: ({ item, isActive }) =>
      isActive ? theme.style.highlight(`❯ ${item.name}`) : `  ${item.name}`,
    pageSize,
    loop: false,
  });
  const prefix = usePrefix({ status, theme });
  const answer = chosen ? theme.style.answer(chosen.short) : typed && theme.style.highlight(typed);
  const header = [prefix, theme.style.message(question, status), answer].filter(Boolean).join(" ");
  if (chosen) return header;
  const details = current?.description;
  const lines = [page, " ", details && theme.style.highlight(details), found.note, help];
  return [header, lines.filter(Boolean).join("\n").trimEnd()];
});
