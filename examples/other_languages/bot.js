const fs = require("fs");
const piece = Buffer.alloc(1 << 16);
let rest = Buffer.alloc(0);
for (let n; (n = fs.readSync(0, piece)) > 0; ) {
  rest = Buffer.concat([rest, piece.subarray(0, n)]);
  for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) {
    const said = JSON.parse(rest.subarray(0, end).toString());
    const actions = (said.decisions ?? []).map(({ legal, seat, view }) =>
      legal[0] === "hit" && view.points[seat] < 25 ? "hit" : legal.at(-1));
    fs.writeSync(1, JSON.stringify({ id: said.id, actions }) + "\n");
  }
}
