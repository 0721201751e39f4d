// Puts the page together: what the gateway tells goes into the fleet, and the fleet is drawn as the view asks.

import { openRun, refreshRun, showDetails } from "./details.js";
import { askForDecision, askForToken, askInDialogs } from "./dialogs.js";
import { filterRuns, showFilters } from "./filters.js";
import { Fleet } from "./fleet.js";
import { MOST_RUNS, readRuns, token } from "./gateway.js";
import { viewOfHash, writeHash } from "./hash.js";
import { fillLegend } from "./legend.js";
import { focusList, listRuns, showRuns } from "./list.js";
import { stayInTouch, tryNow } from "./live.js";
import { agentOf, cut } from "./names.js";
import { tellLoop } from "./news.js";
import { themeButton } from "./theme.js";
import { NUMBERS, counted, element } from "./words.js";

const DRAW_MS = 200; // at most so often, however much happens
const TOOL_MS = 3e3; // the gateway is asked at most so often which runs called a tool
const TICK_MS = 5e3; // "ago" grows

const CONNECTION = {
  connecting: "Connecting",
  live: "Live",
  away: "The gateway does not answer; trying again",
  refused: "The gateway wants a token",
};

const WORDS = [
  "Runs at work come first, that which began last on top; then the others by their last call.",
  "The colour comes from the fingerprint of the arguments. Thread between beads grows with the time between calls.",
  "Brackets are loops, from the first call to the last; ▲ and ■ are where the loop became a warning, and critical.",
  "Keys: arrows go through runs, and from call to call; Enter opens a run, n and p go from loop to loop, / searches, Esc closes.",
];

const at = (id) => document.getElementById(id);
const fleet = new Fleet();
let view = viewOfHash();
let ofTool = null; // runs that called the tool of the view
let heard = 0; // version of what is no news
let toolAsked = 0;
let drawing = 0;

async function load() {
  tell("connecting");
  const { version, runs } = await readRuns();
  fleet.replace(runs);
  heard = version;
  toolAsked = 0;
  draw();
  refreshRun();
  return runs.length < MOST_RUNS ? version : 0; // from 0 on, the gateway tells of all others, too
}

function take({ id, name, data }) {
  if (name === "run") fleet.take(data);
  if (name === "loop" && Number(id) > heard) tellLoop(data, cut(agentOf(fleet.get(data.run) ?? {}), 60));
  if (data.run === view.run) refreshRun();
  drawSoon();
}

function tell(state, error) {
  at("connection").dataset.state = state;
  if (state !== "connecting" || at("connection").textContent === "") at("connection").textContent = CONNECTION[state];
  at("connection").title = error?.message ?? "";
  at("access").hidden = state !== "refused" && !token.get();
  if (state === "refused") askForToken();
}

function drawSoon() {
  drawing ||= setTimeout(draw, DRAW_MS);
}

function draw() {
  clearTimeout(drawing);
  drawing = 0;
  askForTool();
  const counts = fleet.counts();
  const wanted = fleet.wanted(view, ofTool);
  showFilters(view, counts, fleet.names());
  showRuns(wanted, view.run);
  at("shown").textContent = shownOf(wanted.length);
  showNone(wanted.length);
  document.title = counts.looping ? `(${counts.looping}) Loopwatch` : "Loopwatch";
}

function shownOf(found) {
  if (found === fleet.size) return counted(fleet.size, "run");
  return `${ofTool?.size === MOST_RUNS ? "the newest " : ""}${NUMBERS.format(found)} of ${counted(fleet.size, "run")}`;
}

function showNone(found) {
  at("none").hidden = found > 0;
  at("list").hidden = !found;
  if (at("none").childElementCount !== (fleet.size ? 1 : 2)) at("none").replaceChildren(...(fleet.size ? unlike() : hint()));
}

const unlike = () => [element("p", {}, "No run is like that.")];

function hint() {
  return [
    element("p", {}, "No run yet. Agents that send their spans here show up by themselves:"),
    element("pre", {}, `OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`),
  ];
}

// Which runs called a tool only the gateway knows.
async function askForTool() {
  const { tool } = view;
  if (!tool) ofTool = null;
  if (!tool || Date.now() - toolAsked < TOOL_MS) return;
  toolAsked = Date.now();
  const { runs } = await readRuns(tool).catch(() => ({ runs: null }));
  if (tool !== view.tool || !runs) return;
  ofTool = new Set(runs.map((run) => run.run));
  drawSoon();
}

function change(part) {
  const opens = part.run !== undefined && part.run !== view.run;
  if (part.tool !== undefined) toolAsked = 0;
  view = { ...view, ...part };
  writeHash(view, opens);
  openRun(view.run);
  draw();
}

function closeRun() {
  change({ run: "" });
  focusList();
}

function followAddress() {
  view = viewOfHash();
  toolAsked = 0;
  openRun(view.run);
  draw();
}

function keyed(event) {
  const typing = event.target.matches("input, select, textarea") || document.querySelector("dialog[open]");
  if (event.key === "Escape" && view.run && !typing) closeRun();
  if (event.key === "/" && !typing) {
    event.preventDefault();
    at("q").focus();
  }
}

themeButton(at("theme"));
fillLegend(at("legend"), WORDS);
filterRuns(change);
listRuns((run) => change({ run }));
showDetails(askForDecision, closeRun);
askInDialogs(refreshRun, tryNow);
at("access").addEventListener("click", askForToken);
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  focusList();
});
window.addEventListener("hashchange", followAddress);
document.addEventListener("keydown", keyed);
setInterval(drawSoon, TICK_MS);
openRun(view.run);
stayInTouch({ load, take, tell });
