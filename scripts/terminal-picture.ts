/** What a program writes to a terminal, as an SVG: text stays text, in the colours of the dark pictures of `docs/`. */

/** A stretch of one look; `codes` are those of `ESC[…m` that are on. */
interface Span {
  readonly text: string;
  readonly codes: ReadonlySet<number>;
}

type Line = readonly Span[];

/** In pixels; a character is `unit` wide. */
const size = { unit: 7.25, line: 17, columns: 120, margin: 18, bar: 34 } as const;

/** Codes that end others: bold and dim, italic, underline, colour. */
const ends: ReadonlyMap<number, (code: number) => boolean> = new Map([
  [22, (code) => code === 1 || code === 2],
  [23, (code) => code === 3],
  [24, (code) => code === 4],
  [39, (code) => (code >= 30 && code <= 37) || (code >= 90 && code <= 97)],
]);

const style = [
  'text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9 }',
  '.window { fill: #161b22 }',
  '.title { fill: #8b949e }',
  '.c1 { font-weight: bold; fill: #f0f6fc }',
  '.c2, .c90 { fill: #8b949e }',
  '.c3 { font-style: italic }',
  '.c4 { text-decoration: underline }',
  '.c31, .c91 { fill: #ff7b72 }',
  '.c32, .c92 { fill: #56d364 }',
  '.c33, .c93 { fill: #d29922 }',
  '.c34, .c94 { fill: #58a6ff }',
  '.c35, .c95 { fill: #d2a8ff }',
  '.c36, .c96 { fill: #76e3ea }',
].join(' ');

/** Draws an output; `command` is what was typed. */
export function drawTerminal(command: string, output: string): string {
  const codes = new Set<number>();
  const read = output
    .trimEnd()
    .split('\n')
    .map((line) => readLine(line, codes));
  const lines = [readLine(`$ ${command}`, codes), [], ...read].flatMap(wrapped);
  const width = Math.ceil(size.columns * size.unit) + 2 * size.margin;
  const height = size.bar + lines.length * size.line + size.margin;
  const lights = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
    (colour, index) => `<circle cx="${size.margin + index * 18}" cy="17" r="5.5" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(command)} in a terminal</title>`,
    `<style>${style}</style>`,
    `<rect class="window" width="${width}" height="${height}" rx="8"/>`,
    ...lights,
    ...lines.map((line, index) => drawLine(line, size.bar + (index + 1) * size.line - 4)),
    '</svg>',
    '',
  ].join('\n');
}

/** `ESC[1;32m`, and other commands to a terminal. */
const look = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)[A-Za-z]`);

/** Changes `codes`: looks go on from line to line. */
function readLine(line: string, codes: Set<number>): Line {
  const spans: Span[] = [];
  for (const [index, part] of line.replace(/\r/g, '').split(look).entries()) {
    if (index % 2 === 0) {
      if (part !== '') spans.push({ text: part, codes: new Set(codes) });
      continue;
    }
    for (const code of part.split(';').map(Number)) {
      const isEnded = ends.get(code);
      if (code === 0) codes.clear();
      else if (isEnded === undefined) codes.add(code);
      else for (const each of [...codes].filter(isEnded)) codes.delete(each);
    }
  }
  return spans;
}

/** The lines that a line takes. */
function wrapped(line: Line): readonly Line[] {
  const lines: Span[][] = [[]];
  let room: number = size.columns;
  for (const { text, codes } of line) {
    let rest = text;
    while (rest.length > room) {
      lines.at(-1)?.push({ text: rest.slice(0, room), codes });
      rest = rest.slice(room);
      room = size.columns;
      lines.push([]);
    }
    lines.at(-1)?.push({ text: rest, codes });
    room -= rest.length;
  }
  return lines;
}

function drawLine(line: Line, y: number): string {
  const spans = line.map(({ text, codes }) => {
    const looks = [...codes].map((code) => `c${code}`).join(' ');
    return `<tspan${looks === '' ? '' : ` class="${looks}"`}>${escapeXml(text)}</tspan>`;
  });
  return `<text x="${size.margin}" y="${y}" xml:space="preserve">${spans.join('')}</text>`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (unit) => `&#${unit.charCodeAt(0)};`);
}
