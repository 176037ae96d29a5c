// Where data come from (this file, or the server that sent it), what the location asks for, and the frame of the page.
const page = document.getElementById('page');
let keys = null, leave = null, source = null, latest = 0, onPage = '';
const block = (id) => document.getElementById(id);

// A report or a game in a file of its own.
const inFile = {
  live: false,
  async data() { if (!this.kept) this.kept = [await unpack(block('data').textContent), new Int32Array(await inflate(block('games').textContent))]; return this.kept; },
  rules: block('rules') && (async () => (await unpack(block('rules').textContent)).text),
  async film(name) {
    const films = block('data') ? (await this.data())[0].films : [null], first = films[0] === null ? await unpack(block('film-0').textContent) : null;
    if (first) films.splice(0, 1, first.label, ...(first.same || []).map((one) => one.label));
    const at = name === undefined ? 0 : Math.max(films.indexOf(name), first ? 0 : -1);
    if (at < 0) throw new Error(`${name} is not in this file; arena replay ${name} --format html writes it`);
    return unpack(block('film-' + at).textContent);
  },
};

// Light or dark, as the reader chose it on any page of this site; the browser may forget it.
function themeButton() {
  const root = document.documentElement;
  try { if (source.live && localStorage.getItem('arena-theme')) root.dataset.theme = localStorage.getItem('arena-theme'); } catch { /* not allowed here */ }
  return el('button', {type: 'button', class: 'theme', title: 'light or dark', 'aria-label': 'light or dark', onclick: () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    try { localStorage.setItem('arena-theme', root.dataset.theme); } catch { /* for this page alone */ }
  }}, '◐');
}
// While a pointer is pressed nothing is redrawn: a link that is replaced between press and release hears no click.
let pressed = -Infinity;
addEventListener('pointerdown', () => { pressed = performance.now(); }, true);
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => { pressed = -Infinity; }, true);
const PRESS_MS = 30000;  // a release outside of the window may not be heard

// Draws the page that is there once more: only parts that have changed, and the reader stays where they were.
function redraw(parts) {
  const focus = document.activeElement, part = [...page.children].findIndex((one) => one.contains(focus));
  const alike = (one) => one.tagName + (one.getAttribute('aria-label') || one.getAttribute('href') || one.textContent);
  const caret = focus.tagName === 'INPUT' ? [focus.selectionStart, focus.selectionEnd] : null;
  parts.forEach((fresh, at) => {
    const old = page.children[at];
    if (!old) return page.append(fresh);
    const opened = fresh.querySelectorAll('details');
    old.querySelectorAll('details').forEach((one, number) => { if (one.open && opened[number]) opened[number].open = true; });
    if (old.isEqualNode(fresh)) return undefined;
    const moved = [...old.querySelectorAll('.scroll')].map((one) => one.scrollLeft);
    old.replaceWith(fresh);
    fresh.querySelectorAll('.scroll').forEach((one, number) => { one.scrollLeft = moved[number] || 0; });
    const there = at === part && [...fresh.querySelectorAll(focus.tagName)].find((one) => alike(one) === alike(focus));
    if (there) there.focus({preventScroll: true});
    if (there && caret && caret[0] !== null) there.setSelectionRange(...caret);
    return undefined;
  });
  while (page.children.length > parts.length) page.lastChild.remove();
}
function frame(title, links, content) {
  document.title = title + ' · arena';
  const named = [el('h1', {}, el('a', {href: link({})}, title)), el('nav', {'aria-label': 'on this page'}, links)], place = block('place'), parts = [content].flat(Infinity).filter(Boolean), again = onPage === location.href;
  if (!place) parts.unshift(el('header', {class: 'top'}, named, themeButton()));
  else if (!el('span', {id: 'place'}, named).isEqualNode(place)) place.replaceChildren(...named);
  onPage = location.href;
  const mine = latest, renew = () => { if (performance.now() - pressed > PRESS_MS) redraw(parts); else setTimeout(() => { if (mine === latest) renew(); }, 200); };
  if (again) renew(); else page.replaceChildren(...parts);
  for (const [node, name] of [[page, 'game'], [document.documentElement, 'playing']]) node.classList.toggle(name, page.querySelector('.stage') !== null);
}
const SECTIONS = [['standings', 'Standings'], ['pairs', 'Pairs'], ['scores', 'Scores'], ['clock', 'CPU'], ['faults', 'Forfeits'], ['games', 'Games']];
const jump = ([id, text]) => el('a', {href: link({to: id}), onclick: (event) => { const found = block(id); if (found) { event.preventDefault(); found.scrollIntoView(); } }}, text);

async function show() {
  const mine = ++latest, parts = route();
  if (leave) leave();
  keys = leave = null;
  if (!onPage && source.coming && !connection.wait) page.replaceChildren(el('p', {class: 'say', role: 'status'}, source.coming()));
  try {
    if (source.custom && await source.custom(parts, () => mine === latest)) { connection.back(); return; }
    if (parts.game !== undefined || (!block('data') && !source.live)) {
      const film = await source.film(parts.game);
      if (mine === latest) { frame(film.label || film.game, block('data') || source.live ? [el('a', {href: link({})}, 'report')] : [], replayView(film, parts)); scrollTo(0, 0); }
      return;
    }
    const [data, columns] = await source.data();
    if (source.live) connection.back();
    if (mine !== latest) return;
    if (parts.bot !== undefined) { frame(data.title, [el('a', {href: link({})}, 'all bots')], botPage(data, columns, parts.bot)); scrollTo(0, 0); }
    else {
      frame(data.title, SECTIONS.map(jump), [overview(data, columns), el('footer', {}, `Made ${data.made.replace('T', ' ')}. Intervals are 95 %.`)]);
      if (parts.to && block(parts.to)) block(parts.to).scrollIntoView();
    }
  } catch (error) {
    if (error.lost) { connection.lost(error, () => { if (mine === latest) show(); }); return; }
    frame('card-arena', [el('a', {href: link({})}, 'back')], [el('p', {class: 'lost', role: 'alert'}, error.message || String(error))]);
  } finally {
    if (mine === latest) page.dataset.ready = 'yes';
  }
}
addEventListener('keydown', (event) => { if (keys) keys(event); });
source = typeof fromServer === 'undefined' ? inFile : fromServer;
if (block('place')) block('place').before(themeButton());
if (page.querySelector('#notfound')) page.dataset.ready = 'yes';
else {
  addEventListener('hashchange', () => { delete page.dataset.ready; show(); });
  show();
}
