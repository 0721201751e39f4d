// The panel about one run: how it stands, its calls, its loops, and what was decided.

import { msOf } from "./fleet.js";
import { Refused, readRun } from "./gateway.js";
import { loopsOf } from "./loops.js";
import { agentOf, named, signOf } from "./names.js";
import { Timeline } from "./timeline.js";
import { moment } from "./times.js";
import { NUMBERS, counted, duration, element, facts, fingerprint, told } from "./words.js";

const REST_MS = 400; // between two readings of a run that is busy
const LONGEST = 1000;

const panel = document.getElementById("details");
let run = "";
let parts = null; // what stays while the run goes on
let reading = ""; // run that is being read
let stale = false;
let act = () => {};
let close = () => {};

export function showDetails(onDecide, onClose) {
  act = onDecide;
  close = onClose;
}

export function openRun(key) {
  if (key === run) return;
  run = key;
  parts = null;
  panel.hidden = !run;
  panel.parentElement.classList.toggle("detailed", Boolean(run));
  panel.replaceChildren();
  if (run) refreshRun();
}

// Reads the run anew; while it is being read, once more afterwards.
export async function refreshRun() {
  stale = true;
  const wanted = run;
  if (!wanted || reading === wanted) return;
  reading = wanted;
  while (stale && run === wanted) {
    stale = false;
    const whole = await readRun(wanted).catch(unreadable);
    if (whole && run === wanted) draw(whole);
    await new Promise((done) => setTimeout(done, REST_MS));
  }
  if (reading === wanted) reading = "";
}

function unreadable(error) {
  if (!parts) panel.replaceChildren(element("p", { class: "note", role: "alert" }, troubleOf(error)));
}

const troubleOf = (error) => (error instanceof Refused ? "The gateway shows this run only with a token." : "This run cannot be read now.");

function draw(whole) {
  parts ??= panelParts();
  const known = whole.known !== false;
  const halted = whole.decision?.action === "halt";
  parts.title.replaceChildren(known ? named(agentOf(whole)) : "Unknown run");
  parts.state.textContent = known ? `${signOf(whole)} ${whole.state}` : "";
  parts.state.dataset.state = known ? whole.state : "";
  parts.state.dataset.level = whole.loop?.level ?? "";
  parts.decide.textContent = halted ? "Resume" : "Halt";
  parts.decide.onclick = () => act(run, halted ? "resume" : "halt");
  parts.verdict.replaceChildren(...verdictOf(whole.decision));
  parts.about.replaceChildren(known ? aboutRun(whole) : element("p", { class: "note" }, "No call of it has come in yet."));
  if (known) drawCalls(whole);
  if (document.activeElement === document.body) parts.title.focus(); // where the list made room for the panel
}

function drawCalls(whole) {
  const loops = loopsOf(whole.loops, whole.timeline);
  parts.calls.textContent = headingOf(whole);
  parts.timeline.show(whole.timeline, loops);
  replace(parts.loops, JSON.stringify(loops), () => loops.map(aboutLoop).reverse());
  replace(parts.decisions, JSON.stringify(whole.decisions), () => aboutDecisions(whole.decisions));
}

// What has not changed is left alone: somebody may be reading or selecting it.
function replace(box, drawn, make) {
  if (box.dataset.drawn === drawn) return;
  box.dataset.drawn = drawn;
  box.replaceChildren(...make());
}

function panelParts() {
  const closer = element("button", { type: "button", class: "close", "aria-label": "Close this run" }, "×");
  closer.addEventListener("click", close);
  const made = {
    title: element("h2", { tabindex: "-1" }),
    state: element("span", { class: "state" }),
    decide: element("button", { type: "button", id: "act" }),
    verdict: element("div", { class: "verdict" }),
    about: element("div", { id: "about" }),
    calls: element("h3", {}),
    call: element("div", { id: "call" }),
    loops: element("div", { id: "loops" }),
    decisions: element("div", { id: "decisions" }),
  };
  made.timeline = new Timeline(
    (calls, index, mark) => made.call.replaceChildren(...aboutCall(calls, index, mark)),
    (number) => [...made.loops.children].at(-1 - number)?.scrollIntoView({ block: "nearest" }),
  );
  const of = element("p", { class: "of" }, named(run, LONGEST));
  panel.replaceChildren(
    element("div", { class: "panel-head" }, made.title, made.state, made.decide, closer),
    ...[of, made.verdict, made.about, made.calls, made.timeline.box, made.call, made.loops, made.decisions],
  );
  return made;
}

function verdictOf(decision) {
  if (decision?.action !== "halt") return [];
  return [element("p", { role: "status" }, "✖ Halted by ", named(byOf(decision)), decision.reason ? ": " : ".", named(decision.reason ?? "", LONGEST))];
}

const byOf = (decision) => decision.by ?? "loopwatch";

function aboutRun(whole) {
  const lasted = msOf(whole.last_ns) - msOf(whole.first_ns);
  return facts([
    ["Service", whole.service ? named(whole.service) : null],
    ["Calls", `${NUMBERS.format(whole.calls)}${whole.wasted_calls ? `, ${NUMBERS.format(whole.wasted_calls)} wasted` : ""}`],
    ["Turns", whole.turns ? NUMBERS.format(whole.turns) : null],
    ["Tokens", whole.tokens ? NUMBERS.format(whole.tokens) : null],
    ["Began", moment(msOf(whole.first_ns))],
    ["Latest", element("span", {}, moment(msOf(whole.last_ns)), ` after ${duration(Math.max(0, lasted))}`)],
    ["Trace", whole.trace_id && !whole.run.startsWith(whole.trace_id) ? element("code", {}, whole.trace_id) : null],
  ]);
}

function headingOf({ timeline, calls }) {
  return timeline.length < calls ? `The last ${NUMBERS.format(timeline.length)} calls` : "Calls";
}

function aboutCall(calls, index, mark) {
  const call = calls[index];
  if (!call) return [];
  const before = calls[index - 1];
  const start = msOf(call.start_ns);
  const others = mark?.alike.filter((other) => other !== index).length;
  return [
    element("p", { class: "tool" }, `${call.n} `, named(call.tool, LONGEST)),
    facts([
      ["Outcome", call.outcome],
      ["Brought", call.new ? "something new" : "nothing new"],
      ["Started", moment(start)],
      ["Took", duration(Math.max(0, msOf(call.end_ns) - start))],
      ["After the call before", before ? duration(Math.max(0, start - msOf(before.start_ns))) : null],
      ["Arguments", fingerprint(call.fingerprint)],
      ["Result", fingerprint(call.result)],
      mark ? [mark.text, `${mark.letter}: ${counted(others, "other call")}`] : ["", null],
    ]),
  ];
}

function aboutLoop(loop) {
  const section = told(loop, `${loop.kind} ${loop.level}`);
  const signals = loop.signals.flatMap(({ level, at_ns, count }) => [`${level} at ×${count}, `, moment(msOf(at_ns)), "; "]);
  const after = loop.recovered ? "the run has moved on" : "the run has not moved on since";
  section.append(element("p", { class: "note" }, ...signals, `${counted(loop.wasted_calls, "call")} wasted when signalled; ${after}`));
  return section;
}

function aboutDecisions(decisions) {
  if (!decisions.length) return [];
  const lines = decisions.map((decision) =>
    element("li", {}, moment(msOf(decision.at_ns ?? 0)), " ", element("b", {}, decision.action), " by ", named(byOf(decision)), decision.reason ? ": " : "", named(decision.reason ?? "", LONGEST)),
  );
  return [element("h3", {}, "Decisions"), element("ul", {}, ...lines.reverse())];
}
