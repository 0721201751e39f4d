// The calls of a run as beads on a thread. Its letters stay while the run grows; its colours are the digests'.

import { HUES, Numbering, marked } from "./likeness.js";
import { layoutOf } from "./layout.js";
import { drawBead, drawLine } from "./thread.js";
import { described, element } from "./words.js";
import { msOf } from "./fleet.js";

export class Timeline {
  #numbering = new Numbering();
  #hues = new Map(); // number -> hue
  #beads;
  #calls = [];
  #loops = [];
  #marks = [];
  #layout = null;
  #picked = null; // number of the call that was picked, null: the latest
  #onLook;

  // `onLook` gets the call that is looked at, its place among those shown, and its mark; or nothing.
  constructor(onLook, onLoop) {
    this.#onLook = onLook;
    this.#beads = element("div", { class: "beads" });
    this.box = element("div", { class: "timeline", role: "group", "aria-label": "Calls; arrows go from one to the next" }, this.#beads);
    this.box.addEventListener("keydown", (event) => this.#keyed(event));
    this.box.addEventListener("focusin", (event) => this.#pick(event.target.closest(".bead")));
    this.box.addEventListener("pointerover", (event) => this.#look(event.target.closest(".bead")));
    this.box.addEventListener("pointerleave", () => this.#lookAt(this.#index()));
    this.box.addEventListener("click", (event) => {
      const loop = event.target.closest(".bracket");
      if (loop) onLoop(Number(loop.dataset.loop));
    });
    new ResizeObserver(() => this.#fit()).observe(this.#beads);
  }

  show(calls, loops) {
    this.#calls = calls;
    this.#loops = loops;
    this.#marks = marked(calls.map(keysOf), this.#numbering).map((mark, index) => mark && this.#coloured(mark, calls[index]));
    this.#draw();
  }

  // The digest says which; where another letter of this run has it already, it is the next that is free.
  #coloured(mark, call) {
    if (!this.#hues.has(mark.number)) this.#hues.set(mark.number, this.#free(hueOf(mark.name === "ring" ? call.result : call.fingerprint)));
    return { ...mark, hue: this.#hues.get(mark.number) };
  }

  #free(wish) {
    const taken = new Set(this.#hues.values());
    const hues = Array.from({ length: COLOURS }, (_, step) => (wish + step) % COLOURS);
    return hues.find((hue) => !taken.has(hue)) ?? wish;
  }

  #fit() {
    if (this.#layout?.width !== this.#beads.clientWidth) this.#draw();
  }

  #draw() {
    const width = this.#beads.clientWidth;
    if (!width) return;
    const atEnd = this.box.scrollTop + this.box.clientHeight >= this.box.scrollHeight - 1;
    const held = this.box.contains(document.activeElement);
    const moments = this.#calls.map((call) => ({ at: msOf(call.start_ns), attempt: null }));
    this.#layout = layoutOf(moments, this.#loops, width);
    this.#beads.style.height = `${this.#layout.bottom}px`;
    this.#beads.replaceChildren(...this.#layout.lines.map((line) => drawLine(line, this.#layout, (index) => this.#bead(index))));
    this.#rove(this.#index());
    if (held) this.#beadAt(this.#index())?.focus({ preventScroll: true });
    else this.#lookAt(this.#index());
    if (atEnd && !held) this.box.scrollTop = this.box.scrollHeight;
  }

  #bead(index) {
    const call = this.#calls[index];
    const signals = this.#loops.flatMap((loop) => loop.signals.filter((signal) => signal.call === index + 1));
    return drawBead(index, this.#marks[index], call.outcome, described(`Call ${call.n}`, call, this.#marks[index], signals));
  }

  #index() {
    const at = this.#calls.findIndex((call) => call.n === this.#picked);
    return at < 0 ? this.#calls.length - 1 : at;
  }

  #beadAt(index) {
    return this.box.querySelector(`[data-call="${index}"]`);
  }

  #rove(index) {
    for (const bead of this.box.querySelectorAll(".bead")) bead.tabIndex = Number(bead.dataset.call) === index ? 0 : -1;
  }

  #pick(bead) {
    if (!bead) return;
    const index = Number(bead.dataset.call);
    this.#picked = this.#calls[index].n;
    this.#rove(index);
    this.#lookAt(index);
  }

  #look(bead) {
    if (bead) this.#lookAt(Number(bead.dataset.call));
  }

  #lookAt(index) {
    const mark = this.#marks[index];
    const alike = new Set(mark?.alike);
    for (const bead of this.box.querySelectorAll(".bead")) {
      bead.classList.toggle("active", Number(bead.dataset.call) === index);
      bead.classList.toggle("alike", alike.has(Number(bead.dataset.call)));
    }
    this.#onLook(this.#calls, index, mark);
  }

  #keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !MOVES[event.key]) return;
    event.preventDefault();
    const next = MOVES[event.key](this.#index(), this.#layout, this.#loops);
    this.#beadAt(Math.max(0, Math.min(this.#calls.length - 1, next)))?.focus();
  }
}

const COLOURS = HUES - 1; // the last is grey
const hueOf = (digest) => (digest ? Number.parseInt(digest.slice(-6), 16) % COLOURS : 0);

// By what calls are compared, see `marked`. The names of tools count, so that an equal digest is not enough.
function keysOf({ tool, fingerprint, result }) {
  const key = (...parts) => (parts.includes(null) ? null : parts.join("\0"));
  return [key(tool, fingerprint, result), key(tool, result), key(tool, fingerprint)];
}

const MOVES = {
  ArrowRight: (index) => index + 1,
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index, layout) => beside(index, layout, 1),
  ArrowUp: (index, layout) => beside(index, layout, -1),
  Home: () => 0,
  End: (_, layout) => layout.places.length - 1,
  n: (index, _, loops) => ends(loops).find((end) => end > index) ?? index,
  p: (index, _, loops) => ends(loops).findLast((end) => end < index) ?? index,
};

const ends = (loops) => loops.map((loop) => loop.last - 1).sort((one, other) => one - other);

// The call that lies nearest in the next line.
function beside(index, { places, lines }, by) {
  const line = lines[places[index].line + by];
  if (!line) return index;
  const distance = (other) => Math.abs(places[other].x - places[index].x);
  let nearest = line.first;
  for (let other = line.first; other <= line.last; other++) if (distance(other) < distance(nearest)) nearest = other;
  return nearest;
}
