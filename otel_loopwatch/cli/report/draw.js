// A run as elements: its heading, and lines of beads on a thread under brackets.

const FAILED = new Set(["retryable", "precondition", "fatal"]);
const LONG_GAP_MS = 30e3;

function drawRun(run, layout) {
  const heading = element("h2", { id: `run-${run.number}`, title: run.id }, run.id);
  const facts = [run.agent, counted(run.calls.length, "call"), run.calls.length ? duration(lasted(run)) : null, run.start];
  if (data.files.length > 1) facts.push(data.files[run.file]);
  const head = element(
    "div",
    { class: "head" },
    heading,
    element("span", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    run.wasted > 0 && element("span", { class: "wasted" }, `${counted(run.wasted, "call")} wasted`),
  );
  const row = element("div", { class: "run", role: "listitem", "aria-labelledby": `run-${run.number}` }, head);
  row.style.height = `${layout.height}px`;
  return row;
}

function drawLine(run, line, layout) {
  const drawn = element("div", { class: "line" });
  drawn.style.top = `${line.top}px`;
  drawn.style.height = `${line.beads + BEAD}px`;
  const thread = element("div", { class: "thread" });
  Object.assign(thread.style, { top: `${line.beads + BEAD / 2 - 1}px`, width: `${layout.places[line.last].x + BEAD / 2}px` });
  drawn.append(thread, ...line.brackets.map((piece) => drawBracket(run, piece, layout)));
  for (let index = line.first; index <= line.last; index++) drawn.append(...drawCall(run, index, line, layout));
  return drawn;
}

function drawCall(run, index, line, layout) {
  const place = layout.places[index];
  const bead = drawBead(run, index);
  Object.assign(bead.style, { left: `${place.x}px`, top: `${line.beads}px` });
  if (place.gap < LONG_GAP_MS || index === line.first) return [bead];
  const gap = element("span", { class: "gap", "aria-hidden": "true" }, shortGap(place.gap));
  const before = layout.places[index - 1].x + BEAD;
  Object.assign(gap.style, { left: `${before}px`, width: `${place.x - before}px`, top: `${line.beads}px` });
  return [gap, bead];
}

function shortGap(ms) {
  if (ms < 60e3) return `${Math.round(ms / 1000)}s`;
  if (ms < 3600e3) return `${Math.round(ms / 60e3)}m`;
  return ms < 48 * 3600e3 ? `${Math.round(ms / 3600e3)}h` : `${Math.round(ms / 86400e3)}d`;
}

const BEAD_PATTERN = element("button", { type: "button", tabindex: "-1" });

// Hundreds of these are drawn in a frame, so they are copied, have one text and no children.
function drawBead(run, index) {
  const call = run.calls[index];
  const mark = marksOf(run)[index];
  const outcome = field(call, "outcome");
  const bead = BEAD_PATTERN.cloneNode(false);
  bead.className = `bead ${mark ? `${mark.name} hue-${mark.hue}` : "single"}${FAILED.has(outcome) ? " failed" : outcome === "success" ? "" : " weak"}`;
  bead.dataset.call = index;
  bead.ariaLabel = described(run, index);
  if (mark) bead.textContent = mark.letter;
  return bead;
}

function drawBracket(run, piece, layout) {
  const { loop } = piece;
  const classes = ["bracket", loop.level, piece.opens && "opens", piece.closes && "closes"].filter(Boolean).join(" ");
  const calls = `calls ${loop.first} to ${loop.last}`;
  const label = element("span", { class: "label" }, `${LEVEL_SIGN[loop.level]} ${piece.label}`);
  const drawn = element(
    "button",
    {
      type: "button",
      class: classes,
      tabindex: "-1",
      "data-loop": run.loops.indexOf(loop),
      "aria-label": `${loop.kind} loop, ${loop.level}, ${calls}`,
    },
    label,
    ...loop.signals.map((signal) => drawFlag(signal, piece, layout)),
  );
  Object.assign(drawn.style, { left: `${piece.left}px`, width: `${piece.right - piece.left}px`, top: `${piece.lane * LANE}px` });
  label.style.left = `${piece.start - piece.left}px`;
  label.style.maxWidth = `${layout.width}px`;
  return drawn;
}

// Where the loop was signalled.
function drawFlag(signal, piece, layout) {
  const place = layout.places[signal.call - 1];
  if (!place || layout.lines[place.line].brackets.indexOf(piece) < 0) return null;
  const flag = element("i", { class: signal.level });
  flag.style.left = `${place.x + BEAD / 2 - piece.left}px`;
  return flag;
}
