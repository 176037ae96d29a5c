// The rules page of a game beside the table, opened at the section about what is decided now.

// Inline Markdown: code, bold, italics; of links the text.
function inlined(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]*\))/).map((part) => {
    if (part[0] === '`') return el('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return el('b', {}, part.slice(2, -2));
    if (part[0] === '*' && part.length > 2) return el('i', {}, part.slice(1, -1));
    const found = /^\[([^\]]+)\]\(/.exec(part);
    return found ? found[1].replace(/`/g, '') : part;
  });
}

// Blocks of Markdown as elements: paragraphs, lists, tables, code.
function blocksOf(text) {
  const cells = (line) => line.replace(/^\||\|\s*$/g, '').split('|').map((cell) => cell.trim());
  return text.split(/\n{2,}/).filter((one) => one.trim() && !/^\s*<!--/.test(one)).map((one) => {
    const lines = one.split('\n');
    if (lines[0].startsWith('```')) return el('pre', {}, lines.slice(1).join('\n').replace(/```\s*$/, ''));
    if (lines.every((line) => line.startsWith('    '))) return el('pre', {}, lines.map((line) => line.slice(4)).join('\n'));
    if (lines.length > 1 && /^\|?[\s:|-]+$/.test(lines[1])) {
      return el('table', {}, el('thead', {}, el('tr', {}, cells(lines[0]).map((cell) => el('th', {scope: 'col'}, inlined(cell))))), el('tbody', {}, lines.slice(2).map((line) => el('tr', {}, cells(line).map((cell) => el('td', {}, inlined(cell)))))));
    }
    const items = one.split(/\n(?=\s*(?:[-*]|\d+\.) )/), listed = /^\s*([-*]|\d+\.) /.exec(items.find((item) => /^\s*(?:[-*]|\d+\.) /.test(item)) || '');
    if (!listed) return /^#+ /.test(one) ? el('h3', {}, one.replace(/^#+ /, '')) : el('p', {}, inlined(one));
    const head = /^\s*(?:[-*]|\d+\.) /.test(items[0]) ? [] : [el('p', {}, inlined(items.shift()))];
    return [head, el(/\d/.test(listed[1]) ? 'ol' : 'ul', {}, items.map((item) => el('li', {}, inlined(item.replace(/^\s*(?:[-*]|\d+\.) /, '')))))];
  });
}

// Sections {number, title, text} of a rules page, by its headings.
function sectionsOf(text) {
  return text.split(/^(?=##+ )/m).slice(1).map((part) => {
    const [head, ...rest] = part.split('\n'), found = /^##+ (?:(\d[\d.]*?)\.? )?(.*)$/.exec(head);
    return {number: found[1] || '', title: found[2], text: rest.join('\n')};
  });
}

// Opens the rules at a section; `number` is what the scene says. The words of the game are the last one.
async function rulesBox(game, number) {
  const all = sectionsOf(await source.rules(game)), old = block('rulesbox'), terms = Object.entries(saidOf(game).terms || {}).map(([word, what]) => `\n| ${word} | ${what} |`).join('');
  if (old) old.remove();
  if (!all.length) return;
  if (terms) all.push({number: '', title: 'Words of this game', text: '| word | what it is |\n| --- | --- |' + terms});
  const text = el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'section'}), chosen = el('select', {'aria-label': 'section of the rules'}, all.map((one, at) => el('option', {value: at}, `${one.number} ${one.title}`)));
  const draw = () => { const one = all[chosen.value]; text.replaceChildren(el('h2', {}, `${one.number} ${one.title}`), ...[blocksOf(one.text)].flat(Infinity)); text.scrollTop = 0; };
  chosen.value = Math.max(0, all.findIndex((one) => one.number === number));
  chosen.addEventListener('change', draw);
  const box = el('dialog', {id: 'rulesbox', class: 'wide', 'aria-label': 'rules'}, el('p', {class: 'controls'}, chosen, el('button', {type: 'button', onclick: () => box.close()}, 'Close')), text);
  draw();
  showBox(box);
}
const rulesButton = (open) => el('button', {type: 'button', class: 'rules', title: 'the rules about this (r)', onclick: open}, 'rules');
