import { testCards, type TestCard } from "../../../contract/known-test-cards.ts";
import { brandNames } from "./card-brands.ts";

/** The band above a page of test mode. `withCards` adds the cards to pay with. */
export function renderTestBand({ withCards }: { withCards: boolean }): string {
  return `<header class="band test">
<div>
<p><strong>Test mode</strong> No money moves${withCards ? ", and only test cards are accepted" : ""}.</p>
${withCards ? `${cards}\n` : ""}</div>
</header>
`;
}

const cards = `<details>
<summary>Test cards</summary>
<p>With any expiry date in the future and any security code.</p>
<table>
<thead><tr><th scope="col">Card</th><th scope="col">Payment</th></tr></thead>
<tbody>
${testCards.map(row).join("\n")}
</tbody>
</table>
</details>`;

function row({ number, brand, outcome }: TestCard): string {
  const fate = outcome === "succeeded" ? "paid" : `declined: ${outcome.replaceAll("_", " ")}`;
  return `<tr><td><code>${grouped(number)}</code> ${brandNames[brand]}</td><td>${fate}</td></tr>`;
}

function grouped(number: string): string {
  return number.length === 15
    ? number.replace(/(.{4})(.{6})/, "$1 $2 ")
    : number.replaceAll(/(.{4})(?=.)/g, "$1 ");
}
