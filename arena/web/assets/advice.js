// What bots would play, asked of the server: house bots, and with a token one's own.

// A token, kept by its name until the window is closed, if the browser may keep it.
const tokenOf = (name) => ({
  get() { try { return sessionStorage.getItem(name) || ''; } catch { return this.kept || ''; } },
  set(text) { this.kept = text; try { sessionStorage.setItem(name, text); } catch { /* kept for this page alone */ } },
  headers() { const one = this.get(); return one ? {Authorization: 'Bearer ' + one} : {}; },
});
const token = tokenOf('arena-token');  // of an owner

// An owner's bots that play a game; none without a token that holds.
async function ownBots(game) {
  if (!token.get()) return [];
  try { return (await ask('/api/bots', {headers: token.headers()})).bots.filter((bot) => bot.games.includes(game) || bot.games.includes('*')).map((bot) => bot.bot); } catch { token.set(''); return []; }
}

// A choice of bots; `chosen` hears of a bot's name. Own bots come when they are known.
function botChoice(game, house, first, chosen, label = 'bot that is asked') {
  const MINE = 'mine…', box = el('select', {class: 'bots', 'aria-label': label});
  let last = first;
  const offer = (own) => {
    box.replaceChildren(...[...(first === '' ? [''] : []), ...own, ...house, ...(own.length ? [] : [MINE])].map((name) => el('option', {value: name}, name || 'nobody')));
    box.value = last;
  };
  box.addEventListener('change', () => {
    if (box.value !== MINE) { last = box.value; chosen(last); return; }
    box.value = last;
    tokenBox(async () => offer(await ownBots(game)));
  });
  offer([]);
  ownBots(game).then((own) => { if (own.length) offer(own); });
  return box;
}

// Asks for the token of an owner.
function tokenBox(then) {
  const field = el('input', {type: 'password', autocomplete: 'off', required: true}), form = el('form', {class: 'plain', method: 'dialog'}, say('Your own bots are asked in the sandbox of this server. The token stays in this window.'), el('label', {}, 'token', field),
    el('button', {type: 'submit'}, 'Show my bots'));
  const box = el('dialog', {id: 'tokenbox', 'aria-label': 'your own bots'}, form, el('button', {type: 'button', onclick: () => box.close()}, 'Close'));
  form.addEventListener('submit', () => { token.set(field.value.trim()); then(); });
  showBox(box);
}

// A bot beside a film: what it would play at every decision of a seat, asked once a seat; and what actions are worth.
function adviceOf(film, changed) {
  const state = {bot: '', seats: {}, worth: {}, shown: false};
  const wish = async (key, kept, wanted) => {
    kept[key] = {waiting: true};
    try { kept[key] = await film.asked(wanted); } catch (error) { kept[key] = {failed: error.message, choices: [], values: []}; }
    changed();
  };
  const said = (at) => {
    const found = state.seats[film.seat[at]];
    return found && found.choices && (found.choices.find(([decision]) => decision === at) || [])[1];
  };
  const differs = (at) => { const other = said(at); return other !== undefined && other !== film.texts[film.played[at]]; };
  return {
    choice: botChoice(film.game, film.bots, '', (name) => { state.bot = name; state.seats = {}; changed(); }, 'what would this bot play'),
    // The lines about a frame, whose seat may be asked about.
    lines(at) {
      const seat = film.seat[at], parts = [], only = film.legal[at].length < 2;
      if (state.bot && !only) {
        if (!state.seats[seat]) wish(seat, state.seats, {bot: state.bot, seat});
        const found = state.seats[seat], other = said(at);
        parts.push(el('p', {class: 'advice', role: 'status'}, other !== undefined ? [`${state.bot} would play `, el('b', {}, other), differs(at) ? ' (d: the next difference)' : ' as well'] : found.waiting ? `${state.bot} is asked …` : `${state.bot} says nothing here` + (
              found.failed ? `: ${found.failed}` : '')));
      }
      if (state.shown && !only) {
        if (!state.worth[at]) wish(at, state.worth, {decision: at});
        const found = state.worth[at];
        parts.push(found.waiting ? el('p', {}, 'worth: …') : found.failed ? el('p', {class: 'lost'}, found.failed) : worthView(found, film.texts[film.played[at]]));
      }
      return parts;
    },
    toggle() { state.shown = !state.shown; changed(); },
    differences: () => state.bot ? Array.from({length: film.frames - 1}, (_, at) => at).filter(differs) : [],
  };
}

// What actions are worth, for their buttons: a function of an action's text.
function worthOf({values, about}) {
  const known = new Map(values.map(([text, points, error]) => [text, `${signed(points, 1)} ± ${fixed(error, 1)}`]));
  return (text) => known.has(text) ? el('small', {class: 'value', title: about}, ' ' + known.get(text)) : '';
}
// The same in a line, best first.
function worthView({values, about}, played) {
  return el('p', {class: 'worth', title: about}, values.map(([text, points, error]) => [el('span', {class: text === played ? 'chosen' : ''}, text, ' ', el('b', {}, signed(points, 1)), ` ± ${fixed(error, 1)}`), ' ']));
}
