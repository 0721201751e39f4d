// Names that agents, models and people made up: shown as text, on their own, and not longer than they may be.

import { LEVEL_SIGN, element } from "./words.js";

const LONGEST = 120;

export const cut = (text, longest = LONGEST) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

// Its direction of writing does not reach what is around it.
export const named = (text, longest) => element("bdi", {}, cut(text, longest));

const STATE_SIGN = { live: "●", halted: "✖", ended: "○" };

export const signOf = ({ state, loop }) => STATE_SIGN[state] ?? LEVEL_SIGN[loop?.level] ?? LEVEL_SIGN.warning;

export const agentOf = (run) => run.agent || run.service || "unnamed agent";
