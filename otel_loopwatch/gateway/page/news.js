// New loops for those who hear the page: what came within some seconds is told together.

const REST_MS = 8e3;

const box = document.getElementById("news");
let waiting = [];
let resting = false;

export function tellLoop(loop, agent) {
  waiting.push(`${loop.kind} loop, ${loop.level}, in ${agent}`);
  if (!resting) tell();
}

function tell() {
  resting = waiting.length > 0;
  if (!resting) return;
  box.textContent = waiting.length === 1 ? waiting[0] : `${waiting.length} new loops; the latest: ${waiting.at(-1)}`;
  waiting = [];
  setTimeout(tell, REST_MS);
}
