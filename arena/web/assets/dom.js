// Elements from data: text is put on the page as text, never as markup.
const SVG = 'http://www.w3.org/2000/svg';
let spelled = (text) => text;  // how cards stand in a text of the page; `spellCards` changes it

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'onclick') node.addEventListener('click', value);
    else if (name === 'oninput') node.addEventListener('input', value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node || node.tagName === 'PRE' ? child : spelled(String(child)));
  }
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const tip = (text) => svg('title', {}, text);

// As Python rounds, to the even digit if both are as near: a table here has the numbers that the command prints.
function rounded(value, digits) {
  const half = 2 ** (digits + 1) * value, scaled = 10 ** digits * value;
  const tie = Number.isInteger(half) && half % 2 !== 0;
  const text = (tie ? 2 * Math.round(scaled / 2) / 10 ** digits : value).toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}
const fixed = (value, digits) => value === null || value === undefined ? '–' : rounded(value, digits).replace('-', '−');
const signed = (value, digits) => value === null || value === undefined ? '–' : (Number(rounded(value, digits)) > 0 ? '+' : '') + fixed(value, digits);
// An interval; – where it is not known.
const between = (low, high, digits) => low === null || high === null ? '–' : `${fixed(low, digits)} .. ${fixed(high, digits)}`;
const percent = (value) => value === null || value === undefined ? '–' : rounded(100 * value, 0) + ' %';
const chance = (value) => value === null || value === undefined ? '–' : value >= 0.995 ? '>99 %' : value < 0.005 ? '<1 %' : percent(value);
const count = (value, word) => value.toString().replace(/\B(?=(\d{3})+$)/g, '\u202f') + (word ? ` ${value === 1 ? word : word.replace(/(tch|s)$/, '$1e') + 's'}` : '');

const moment = (text) => text.slice(0, 16).replace('T', ' ') + ' UTC';

const clipped = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text;

async function inflate(text) {
  const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}
const unpack = async (text) => JSON.parse(new TextDecoder().decode(await inflate(text)));

// The parts of a location: #game=taroky%231%2F2003&decision=12
const route = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
// A link on this page; the key of a seat at a table stays in it.
const link = (parts) => { const {key} = route(); return '#' + new URLSearchParams(key === undefined ? parts : {key, ...parts}).toString(); };

// The address of a page of this site, from its first page: `/play`. Addresses are relative, so a proxy may put the site anywhere.
const ROOT = document.documentElement.dataset.root || '.';
const site = (path) => ROOT + path;

// A table whose columns are [heading, class, cell of a row].
function tableOf(rows, columns, attributes) {
  const {stack} = attributes || {};  // on a phone a row is a block, each cell with its heading
  return el('div', {class: stack ? 'scroll stack' : 'scroll', tabindex: 0, role: 'region', 'aria-label': (attributes || {}).label || 'table'},
    el('table', attributes && attributes.id ? {id: attributes.id} : {},
      el('thead', {}, el('tr', {}, columns.map(([head, kind]) => el('th', {class: kind, scope: 'col'}, head)))),
      el('tbody', {}, rows.map((row, at) => el('tr', {class: attributes && attributes.row && attributes.row(row, at)}, columns.map(([head, kind, cell]) => el('td', {class: kind, 'data-head': stack && head}, cell(row, at))))))));
}
const section = (id, title, ...children) => el('section', {id}, el('h2', {}, title), children);
// Shows a dialog over the page, which is gone once it is closed.
function showBox(box) {
  box.addEventListener('close', () => box.remove());
  page.append(box);
  box.showModal();
}
const say = (...children) => el('p', {class: 'say'}, children);
