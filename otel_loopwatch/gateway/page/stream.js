// Server-sent events from a response's body. An EventSource would do, could it send a token.

export async function* events(body, heard) {
  let [id, name, data] = ["", "message", []];
  for await (const line of lines(body, heard)) {
    if (line.startsWith("id:")) id = value(line);
    else if (line.startsWith("event:")) name = value(line);
    else if (line.startsWith("data:")) data.push(value(line));
    else if (line === "") {
      if (data.length) yield { id, name, data: JSON.parse(data.join("\n")) };
      [name, data] = ["message", []];
    }
  }
}

const value = (line) => line.slice(line.indexOf(":") + 1).replace(/^ /, "");

async function* lines(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value: text, done } = await reader.read();
    if (done) return;
    heard();
    const pieces = (rest + text).split(/\r?\n/);
    rest = pieces.pop();
    yield* pieces;
  }
}
