// What the page asks people for: a decision about a run, and a token.

import { Refused, decide, token } from "./gateway.js";
import { named } from "./names.js";

const NAME = "loopwatch.name";

const WORDS = {
  halt: { title: "Halt ", main: "Halt the run", about: "The agent hears of it with its next call, if it asks." },
  resume: { title: "Resume ", main: "Resume the run", about: "It may go on, unless it has ended already." },
};

const decision = document.getElementById("decide");
const access = document.getElementById("token");
let asked = null; // the run and the action that the dialog is about
let done = () => {};
let given = () => {};

export function askInDialogs(onDecided, onToken) {
  done = onDecided;
  given = onToken;
  decision.querySelector("form").addEventListener("submit", (event) => submitted(event, decideNow));
  access.querySelector("form").addEventListener("submit", (event) => submitted(event, takeToken));
  for (const dialog of [decision, access]) {
    dialog.querySelector("[value=cancel]").addEventListener("click", () => dialog.close());
  }
}

export function askForDecision(run, action) {
  const form = fresh(decision);
  asked = { run, action };
  document.getElementById("decide-title").replaceChildren(WORDS[action].title, named(run));
  document.getElementById("decide-about").textContent = WORDS[action].about;
  form.querySelector(".main").textContent = WORDS[action].main;
  form.querySelector(".token").hidden = true;
  form.elements.reason.required = action === "halt";
  form.elements.by.value = sessionStorage.getItem(NAME) ?? "";
  decision.showModal();
  form.elements[form.elements.by.value ? "reason" : "by"].focus();
}

export function askForToken() {
  fresh(access).elements.token.value = token.get();
  if (!access.open) access.showModal();
}

function fresh(dialog) {
  const form = dialog.querySelector("form");
  form.reset();
  say(form, "");
  return form;
}

const say = (form, text) => (form.querySelector(".trouble").textContent = text);

async function submitted(event, act) {
  event.preventDefault();
  const form = event.currentTarget;
  const button = form.querySelector(".main");
  if (button.disabled) return;
  button.disabled = true;
  try {
    await act(form);
  } finally {
    button.disabled = false;
  }
}

async function decideNow(form) {
  const { by, reason, token: key } = form.elements;
  if (key.value) token.set(key.value.trim());
  sessionStorage.setItem(NAME, by.value);
  try {
    done(await decide(asked.run, asked.action, by.value, reason.value));
    decision.close();
  } catch (error) {
    if (error instanceof Refused) askInForm(form);
    else say(form, `The gateway did not take it: ${error.message}`);
  }
}

function askInForm(form) {
  say(form, token.get() ? "The gateway does not accept this token." : "The gateway wants a token for this.");
  form.querySelector(".token").hidden = false;
  form.elements.token.focus();
}

function takeToken(form) {
  token.set(form.elements.token.value.trim());
  access.close();
  given();
}
