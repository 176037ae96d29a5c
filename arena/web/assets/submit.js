// Submit a bot, and what an owner has here. The token stays in this window.
function submitPage(data) {
  const field = el('input', {type: 'password', autocomplete: 'off', required: true}), file = el('input', {type: 'file', accept: '.py,.zip', required: true}), note = el('input', {type: 'text', maxlength: 200}), out = el('div', {'aria-live': 'polite'});
  let timer = 0, shown = '';
  const mine = (path, options) => ask('/api/bots' + path, {...options, headers: token.headers()});
  field.value = token.get();
  field.addEventListener('change', () => token.set(field.value.trim()));
  const list = async () => {
    clearTimeout(timer);
    const found = await mine('');
    const change = (b) => el('button', {type: 'button', onclick: () => told(async () => { await mine('/' + encodeURIComponent(b.bot), {method: 'POST', body: JSON.stringify({retired: !b.retired})}); await list(); })}, (b.retired ? 'Restore ' : 'Retire ') + b.bot);
    if (shown !== JSON.stringify(found)) out.replaceChildren(  // else focus stays where it is
      section('outcomes', 'Submissions of ' + found.owner, found.submissions.length ? tableOf(found.submissions.slice().reverse(), [['file', 'name', (s) => s.file], ['state', '', (s) => s.state], ['outcome', 'words', (s) => el('pre', {}, s.text || '…')]], {label: 'submissions'}) : say('None yet.')),
      section('own', 'Bots of ' + found.owner, found.bots.length ? tableOf(found.bots, [['bot', 'name', (b) => b.bot], ['games', '', (b) => b.games.join(', ')], ['since', '', (b) => moment(b.created)], ['what was new', '', (b) => b.note], ['state', '', (b) => b.retired ? 'retired' : 'enters leagues'], ['change', '', change]], {label: 'bots'}) : say('None yet.'), el('p', {}, el('button', {type: 'button', onclick: () => told(save)}, 'Save all my data'), ' ', el('button', {type: 'button', onclick: () => told(rotate)}, 'Change my token'))));
    shown = JSON.stringify(found);
    if (found.submissions.some((one) => one.state === 'waiting' || one.state === 'trying')) timer = setTimeout(() => { if (out.isConnected) list().catch(() => { timer = setTimeout(list, 5000); }); }, 2000);
  };
  const save = async () => {
    const found = await mine('/export'), address = URL.createObjectURL(new Blob([JSON.stringify(found, null, 2)], {type: 'application/json'}));
    el('a', {href: address, download: `arena-${found.owner}.json`}).click();
    URL.revokeObjectURL(address);
  };
  const fresh = (text) => {
    field.value = text;
    token.set(text);
    out.prepend(el('p', {role: 'status'}, 'Your token, which nobody can show you again. Keep it: ', el('code', {id: 'token'}, text)));
  };
  const tokens = (path, method) => ask('/api/tokens' + path, {method, headers: token.headers()});
  const rotate = async () => {
    const old = (await tokens('', 'GET')).tokens.find((one) => one.used);
    fresh((await tokens('', 'POST')).token);
    await tokens('/' + old.token, 'DELETE');
  };
  const told = async (act) => { try { await act(); } catch (error) { out.prepend(el('p', {class: 'lost', role: 'alert'}, error.message)); } };
  const form = el('form', {class: 'plain'}, el('label', {}, 'token', field), el('label', {}, 'a .py file, or a folder as .zip', file), el('label', {}, 'what is new', note), el('button', {type: 'submit'}, 'Submit'), el('button', {type: 'button', onclick: () => { shown = ''; told(list); }}, 'Show mine'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    shown = '';
    told(async () => {
      const one = file.files[0];
      await mine('?' + new URLSearchParams({name: one.name, note: note.value}), {method: 'POST', body: await one.arrayBuffer()});
      await list();
    });
  });
  const name = el('input', {type: 'text', maxlength: 40, required: true, autocomplete: 'username'}), join = el('form', {class: 'plain'}, el('label', {}, 'your name', name), el('button', {type: 'submit'}, 'Register'));
  join.addEventListener('submit', (event) => {
    event.preventDefault();
    told(async () => {
      fresh((await ask('/api/owners', {method: 'POST', body: JSON.stringify({name: name.value.trim()})})).token);
    });
  });
  return [data.registration ? section('register', 'Register', say('You get a token, with which you submit bots.'), join) : '', section('submission', 'Submit a bot', say('The server tries it in the sandbox and shows the outcome below. It never shows sources to others.'), form), out];
}
