// The controls of the view: text, tool, agent and state.

import { STATES } from "./fleet.js";
import { cut, signOf } from "./names.js";
import { NUMBERS, element } from "./words.js";

const MOST_NAMES = 300;
const TYPING_MS = 120;

const controls = Object.fromEntries(["q", "tool", "agent"].map((id) => [id, document.getElementById(id)]));
const buttons = new Map();

export function filterRuns(onChange) {
  let waiting = 0;
  for (const [name, control] of Object.entries(controls)) {
    control.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => onChange({ [name]: control.value }), TYPING_MS);
    });
  }
  for (const state of ["", ...STATES]) {
    const button = element("button", { type: "button", class: "kind", "data-state": state });
    button.addEventListener("click", () => onChange({ state: button.ariaPressed === "true" ? "" : state }));
    buttons.set(state, button);
    document.getElementById("states").append(button);
  }
}

export function showFilters(view, counts, { agents, tools }) {
  for (const [name, control] of Object.entries(controls)) if (name !== "agent" && document.activeElement !== control) control.value = view[name];
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  for (const [state, button] of buttons) {
    button.ariaPressed = String(state === view.state);
    label(button, state ? `${signOf({ state })} ${state}` : "all", state ? counts[state] : all);
  }
  fill(controls.agent, [...agents, ...(view.agent ? [view.agent] : [])], [element("option", { value: "" }, "any agent")]);
  controls.agent.value = view.agent;
  fill(document.getElementById("tools"), tools, []);
}

function label(button, text, count) {
  const shown = `${text} ${NUMBERS.format(count)}`;
  if (button.textContent !== shown) button.replaceChildren(`${text} `, element("b", {}, NUMBERS.format(count)));
}

// An open list of options closes when it is touched: only if something is new.
function fill(list, names, before) {
  const wanted = [...new Set(names)].sort().slice(0, MOST_NAMES);
  const drawn = JSON.stringify(wanted);
  if (list.dataset.drawn === drawn) return;
  list.dataset.drawn = drawn;
  list.replaceChildren(...before, ...wanted.map((name) => element("option", { value: name }, cut(name, 60))));
}
