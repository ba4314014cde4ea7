import { expect, test } from "vitest";
import { toReferencePage } from "../../bin/reference-page.ts";
import { commands } from "../testkit/command/built-commands.ts";

const page = toReferencePage(commands);
const chapters = new Map(
  page.split("\n## ").map((chapter) => [chapter.slice(0, chapter.indexOf("\n")), chapter]),
);

test("every command has a chapter with its help", () => {
  for (const { words, summary, flags, examples } of commands) {
    const chapter = chapters.get(["payments", ...words].join(" "));
    expect(chapter).toContain(`\n${summary}\n`);
    for (const { name } of flags) expect(chapter).toContain(`--${name}`);
    for (const example of examples) expect(chapter).toContain(`$ ${example}\n`);
  }
});

test("the chapters have the order in which a user needs the commands, each before those below it", () => {
  const order = [
    "create, get, explain, list, refund, cancel, pay, report, reconcile, test-cards, listen, trigger",
    "events, events get, events list, events resend",
    "webhooks, webhooks create, webhooks get, webhooks list, webhooks deliveries, webhooks test, webhooks check, webhooks recover, webhooks update, webhooks roll, webhooks enable, webhooks disable, webhooks delete",
    "logs, logs get, logs list, logs tail",
    "sandbox, sandbox exec, sandbox reset, sandbox clock, sandbox account, sandbox fault, sandbox faults, sandbox requests, fixtures",
    "login, logout, context, context list, context show, context use, context rename, context delete, mode, whoami",
    "serve, doctor, health, dashboard, accounts, accounts create, accounts list, accounts rename",
    "keys, keys create, keys list, keys roll, keys revoke",
    "operators, operators list, operators invite, operators remove, activity, activity list, network, network check, migrate, backup, api, completion, licenses, help",
  ];
  const headings = order
    .join(", ")
    .split(", ")
    .map((words) => `payments ${words}`);
  expect([...chapters.keys()].slice(1, commands.length + 1)).toEqual(headings);
});

test("every link of the contents leads to a chapter", () => {
  const targets = [...page.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, target]) => target);
  const headings = [...chapters.keys()].map((heading) => heading.replaceAll(" ", "-"));
  expect(targets).toHaveLength(commands.length);
  for (const target of targets) expect(headings).toContain(target);
});

test("every block of code is closed", () => {
  expect(page.split("\n").filter((line) => line.startsWith("```")).length % 2).toBe(0);
});

test("the page has the exit codes and the variables", () => {
  expect(chapters.get("exit-codes")).toMatch(/^ {2}5 +not found$/m);
  expect(chapters.get("environment")).toContain("PAYMENTS_HOME");
});
