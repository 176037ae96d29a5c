// Sketches of elements: what is to be on the page. A page is changed by comparing two sketches, which asks no element anything.
class Sketch {
  constructor(tag, attributes, children) {
    this.tag = tag;
    this.attributes = {};
    this.children = [];
    this.box = null;  // left, top, width, height in pixels
    this.turn = 0;  // degrees
    this.card = null;  // what `cardOf` draws
    for (const [name, value] of Object.entries(attributes || {})) if (value !== null && value !== undefined && value !== false) this.attributes[name] = String(value);
    this.append(...children);
  }
  append(...children) {
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) this.children.push(child instanceof Sketch ? child : spelled(String(child)));
  }
  mark(name) { this.attributes.class = this.attributes.class ? this.attributes.class + ' ' + name : name; }
  get key() { return this.card ? this.card.join() : this.attributes['data-zone'] || this.attributes['data-place'] || ''; }
}
const sk = (tag, attributes, ...children) => new Sketch(tag, attributes, children);
const cardSketch = (game, card, extra) => { const made = new Sketch('img', {class: 'card' + (extra ? ' ' + extra : '')}, []); made.card = [game, card, extra]; return made; };

// The same place in two sketches.
const alike = (old, now) => typeof old === 'string' || typeof now === 'string' ? typeof old === typeof now : old.tag === now.tag && old.key === now.key;
const moved = (old, now) => !old.box || old.turn !== now.turn || old.box.some((value, at) => value !== now.box[at]);

// Gives an element what its sketch says, as far as `old` said something else.
function dress(node, now, old = {attributes: {}}) {
  for (const name in now.attributes) if (old.attributes[name] !== now.attributes[name]) node.setAttribute(name, now.attributes[name]);
  for (const name in old.attributes) if (!(name in now.attributes)) node.removeAttribute(name);
  if (now.box && moved(old, now)) {
    const [left, top, width, height] = now.box;
    node.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px` + (now.turn ? `;rotate:${now.turn}deg` : '');
  }
}
function made(sketch) {
  if (typeof sketch === 'string') return document.createTextNode(sketch);
  if (sketch.card && spare.get(sketch.key)?.length) {
    const [card, old] = spare.get(sketch.key).pop();
    card.classList.remove('fresh');
    dress(card, sketch, old);
    return card;
  }
  const node = sketch.card ? cardOf(...sketch.card) : document.createElement(sketch.tag);
  dress(node, sketch);
  node.append(...sketch.children.map(made));
  return node;
}
// Cards that lie nowhere now, with their sketches, by what they are: one that comes again need not be loaded again.
const spare = new Map();
function drop(node, sketch) {
  if (sketch.card) {
    if (!spare.has(sketch.key)) spare.set(sketch.key, []);
    spare.get(sketch.key).push([node, sketch]);
  } else if (typeof sketch !== 'string') sketch.children.forEach((child, at) => drop(node.childNodes[at], child));
}
function patch(node, old, now) {
  if (typeof now === 'string') { if (old !== now) node.data = now; return; }
  dress(node, now, old);
  if (now.card) return;
  const nodes = [...node.childNodes], before = old.children;
  let at = 0;
  for (const child of now.children) {
    let found = at;
    while (found < before.length && !alike(before[found], child)) found++;
    if (found === before.length) { node.insertBefore(made(child), nodes[at] || null); continue; }
    for (; at < found; at++) { nodes[at].remove(); drop(nodes[at], before[at]); }
    patch(nodes[at], before[at], child);
    at++;
  }
  for (; at < nodes.length; at++) { nodes[at].remove(); drop(nodes[at], before[at]); }
}

// Puts a sketch on a stage, by changing what is there.
const staged = new WeakMap();
function put(stage, sketch) {
  const there = staged.get(stage), same = there && stage.firstChild === there.node && alike(there.sketch, sketch);
  if (same) patch(there.node, there.sketch, sketch); else stage.replaceChildren(made(sketch));
  staged.set(stage, {node: stage.firstChild, sketch});
}
