// Stays in touch with the gateway: everything first, then each change; and all of it again after it was away.

import { Refused, follow } from "./gateway.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10e3;

let wake = () => {};

// As soon as there is a reason to believe that it works now.
export const tryNow = () => wake();
window.addEventListener("online", tryNow);

// `load` reads everything and gives its version; `take` gets each event; `tell` gets "connecting", "live", "away" or
// "refused".
export async function stayInTouch({ load, take, tell }) {
  let pause = FIRST_PAUSE_MS;
  const opened = () => {
    pause = FIRST_PAUSE_MS;
    tell("live");
  };
  for (;;) {
    try {
      for await (const event of follow(await load(), opened)) take(event);
      tell("away");
    } catch (error) {
      const refused = error instanceof Refused;
      tell(refused ? "refused" : "away", error);
      if (refused) await woken();
    }
    await Promise.race([woken(), slept(pause)]);
    pause = Math.min(LONGEST_PAUSE_MS, 2 * pause);
  }
}

const woken = () => new Promise((done) => (wake = done));
const slept = (ms) => new Promise((done) => setTimeout(done, ms));
