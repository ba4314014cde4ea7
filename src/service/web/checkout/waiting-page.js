// Fetches the state of the payment, and reloads the page when the state has changed. Unlike a page that reloads itself
// every few seconds it does not move the focus or a screen reader, and it continues after a failed request.
"use strict";
const getState = (page) => page.querySelector("main").className;
let pauseMs = 1000;
const wait = () => setTimeout(poll, (pauseMs = Math.min(pauseMs * 1.1, 10000)));
const poll = async () => {
  try {
    const response = await fetch(location.href);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.status < 500 && getState(page) !== getState(document)) return location.reload();
  } catch {}
  wait();
};
wait();
