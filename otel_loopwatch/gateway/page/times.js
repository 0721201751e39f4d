// Moments for people.

const DAY_MS = 86400e3;
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

// The clock's time, with the date where it is not today's.
export function moment(ms) {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return null;
  const today = date.toDateString() === new Date().toDateString();
  const made = document.createElement("time");
  made.dateTime = date.toISOString();
  made.textContent = (today ? CLOCK : DATE).format(date);
  return made;
}

// Clocks of agents may be ahead of this one.
export function ago(ms) {
  const passed = Math.max(0, Date.now() - ms);
  if (passed < 5e3) return "now";
  if (passed < 60e3) return `${Math.floor(passed / 5e3) * 5} s ago`;
  if (passed < 3600e3) return `${Math.floor(passed / 60e3)} min ago`;
  if (passed < 2 * DAY_MS) return `${Math.floor(passed / 3600e3)} h ago`;
  return `${Math.floor(passed / DAY_MS)} days ago`;
}
