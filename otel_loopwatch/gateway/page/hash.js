// What is asked for and looked at, in the URL's hash: a view can be kept and passed on.

const FIELDS = ["state", "tool", "agent", "q", "run"];

export function viewOfHash() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(FIELDS.map((name) => [name, given.get(name) ?? ""]));
}

// A run that is opened is a step that Back goes back; a filter is not.
export function writeHash(view, step) {
  const given = new URLSearchParams(FIELDS.filter((name) => view[name]).map((name) => [name, view[name].toWellFormed()]));
  const address = `${location.pathname}${location.search}${given.size ? `#${given}` : ""}`;
  history[step ? "pushState" : "replaceState"](null, "", address);
}
