// The panel about one call or one loop.

const panel = document.getElementById("details");

function showCall(run, index) {
  const call = run.calls[index];
  const mark = marksOf(run)[index];
  const before = index ? field(call, "start_ms") - field(run.calls[index - 1], "start_ms") : null;
  show(
    run,
    `Call ${index + 1} of ${run.calls.length}`,
    element("p", { class: "tool" }, toolOf(call)),
    facts([
      ["Outcome", field(call, "outcome")],
      ["Result counts as", field(call, "evidence") ?? "not judged"],
      ["Brought", BROUGHT[field(call, "brought")]],
      ["Started", `${duration(field(call, "start_ms"))} into the run`],
      ["After the call before", before === null ? null : duration(before)],
      ["Took", duration(field(call, "took_ms"))],
      ["Arguments", fingerprint(field(call, "arguments_fingerprint"))],
      ["Result", fingerprint(field(call, "result_fingerprint"))],
      mark ? [mark.text, alike(run, index, mark.alike)] : ["", null],
    ]),
    ...signalsAt(run, index).map((signal) => told(signal, `${signal.kind} ${signal.level}`)),
    ...counts(call),
    ...contents(call),
  );
}

// What the rules counted at this call, and what it would have taken.
function counts(call) {
  const found = field(call, "counts");
  if (!found.length) return [];
  const limits = ([, count, warning, critical]) => `${count} of ${warning ?? "∞"}${critical === null ? "" : `, critical at ${critical}`}`;
  return [element("h3", {}, "What the rules counted"), facts(found.map((one) => [data.rules[one[0]], limits(one)]))];
}

function showLoop(run, loop) {
  const moved = loop.recovered === null ? "not seen" : jump(run, loop.recovered - 1, `at call ${loop.recovered}`);
  show(
    run,
    `${loop.kind} loop`,
    facts([
      ["Level", loop.level],
      ["Tools", loop.tools.join(", ") || null],
      ["From", jump(run, loop.first - 1, `call ${loop.first}`)],
      ["To", jump(run, loop.last - 1, `call ${loop.last}`)],
      ["Wasted when signalled", counted(loop.signals.at(-1).wasted, "call")],
      ["Evidence", loop.signals.at(-1).evidence],
      ["Moved on", moved],
    ]),
    ...loop.signals.map((signal) => told(signal, `${signal.level} at call ${signal.call}`)),
  );
}

function show(run, title, ...parts) {
  const close = element("button", { type: "button", class: "close", "aria-label": "Close details" }, "×");
  close.addEventListener("click", closeDetails);
  const head = element("div", { class: "panel-head" }, element("h2", {}, title), close);
  panel.replaceChildren(head, element("p", { class: "of" }, run.name, run.agent && ` · ${run.agent}`), ...parts);
  panel.hidden = false;
  panel.parentElement.classList.add("detailed");
}

const MOST_LINKS = 40;

function alike(run, index, indices) {
  const others = indices.filter((other) => other !== index);
  if (!others.length) return null;
  const links = others.slice(0, MOST_LINKS).flatMap((other) => [jump(run, other, `${other + 1}`), " "]);
  if (others.length > MOST_LINKS) links.push(`and ${others.length - MOST_LINKS} more`);
  return element("span", {}, ...links);
}

function jump(run, index, text) {
  if (index < 0 || index >= run.calls.length) return text;
  const link = element("button", { type: "button", class: "jump", "aria-label": `Go to call ${index + 1}` }, text);
  link.addEventListener("click", () => select(run, index));
  return link;
}

function contents(call) {
  if (!data.content) {
    return [element("p", { class: "note" }, "Arguments and results are not in this file; `replay --content` puts them there.")];
  }
  return ["arguments", "result"].map((name) => {
    const value = field(call, name);
    const shown = value === null ? element("p", { class: "note" }, "not captured") : element("pre", { tabindex: "0" }, value);
    return element("section", {}, element("h3", {}, name === "result" ? "Result" : "Arguments"), shown);
  });
}

function closeDetails() {
  panel.hidden = true;
  panel.parentElement.classList.remove("detailed");
  relayout();
  focusActive();
}
