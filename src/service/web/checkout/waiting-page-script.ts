/**
 * Asks what has become of the payment, and loads the page again once that has changed. Unlike a page that
 * loads itself again and again it leaves the keyboard and a screen reader where they are, and it goes on while
 * nobody answers.
 */
export const waitingPageScript = `
"use strict";
const stateOf = (page) => page.querySelector("main").className;
let pauseMs = 1000;
const wait = () => setTimeout(ask, pauseMs = Math.min(pauseMs * 1.1, 10000));
const ask = async () => {
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.status < 500 && stateOf(page) !== stateOf(document)) return location.reload();
  } catch {}
  wait();
};
wait();
`;
