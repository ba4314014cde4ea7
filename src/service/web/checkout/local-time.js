// Writes the time of a receipt in the customer's own zone.
"use strict";
for (const time of document.querySelectorAll("time"))
  time.textContent = new Intl.DateTimeFormat(time.lang, {
    dateStyle: "long",
    timeStyle: "short",
  }).format(new Date(time.dateTime));
