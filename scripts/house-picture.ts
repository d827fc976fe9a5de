/**
 * `npm run house:picture`: draws docs/house.svg, the rooms of `src` and who imports whom, from the imports of the
 * code. An arrow that follows from others is left out. With `--check` it writes nothing and ends with 1 when the
 * picture differs.
 */
import fs from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'src');
const file = path.join(root, 'docs/house.svg');

/** Each row of rooms, from the roof to the ground, with the column and what the room is for. */
const rows: readonly (readonly (readonly [room: string, column: number, purpose: string])[])[] = [
  [['cli', 5, 'the command']],
  [
    ['ai-sdk', 0, 'models for the AI SDK'],
    ['serve', 1, 'three APIs over HTTP'],
    ['servers', 2, 'models on a server'],
    ['transformers', 3, 'transformers.js models'],
    ['testing', 4, 'small models for tests'],
    ['runtime/node-llama-cpp', 5, 'llama.cpp as an engine'],
  ],
  [
    ['runtime/engine', 2.6, 'token by token: the seam'],
    ['mcp', 5, "MCP servers' tools"],
  ],
  [
    ['runtime/chat', 1.3, 'what all models share'],
    ['hub', 3.1, 'models on Hugging Face'],
    ['generate', 4.1, 'generated/, the laws'],
  ],
  [['analysis', 3.4, 'from template to format']],
  [
    ['masks', 0.3, 'masks for any engine'],
    ['grammar', 1.5, 'a response as a tree'],
    ['response-template', 5, 'read, run and derived'],
  ],
  [
    ['json-schema', 0.6, 'the schema compiler'],
    ['codegen', 2.2, 'a format as states'],
    ['template', 3.6, 'renders as Jinja2 does'],
  ],
  [['tools', 2.2, 'tools, their types']],
  [['parser', 2.2, 'from text to events']],
  [
    ['language', 0.8, 'trees, GBNF, automata'],
    ['layout', 2.2, 'regions and markers'],
  ],
  [['format', 1.5, 'ChatFormat: plain data']],
];

/** In pixels. */
const size = { width: 178, height: 40, columnGap: 14, rowGap: 34, margin: 16 } as const;

interface Box {
  readonly room: string;
  readonly purpose: string;
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

const boxes: readonly Box[] = rows.flatMap((row, index) =>
  row.map(([room, column, purpose]) => ({
    room,
    purpose,
    row: index,
    x: size.margin + column * (size.width + size.columnGap),
    y: size.margin + index * (size.height + size.rowGap),
  })),
);

/** The rooms that each room imports. */
function importGraph(): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map(boxes.map(({ room }) => [room, new Set<string>()]));
  for (const name of fs.readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || !name.includes('/')) continue;
    const text = fs.readFileSync(path.join(source, name), 'utf8');
    for (const [, from = ''] of text.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const file = path.join(path.dirname(name), from);
      // Printers of modules have imports in their texts.
      if (!fs.existsSync(path.join(source, file))) continue;
      const [importer, imported] = [roomOf(name), roomOf(file)];
      if (importer !== imported) graph.get(importer)?.add(imported);
    }
  }
  return graph;
}

/** The room of a file of `src`; one that has no box is an error, so that the picture shows the whole house. */
function roomOf(name: string): string {
  const box = boxes.find(({ room }) => name.startsWith(`${room}/`));
  if (box === undefined)
    throw new Error(`src/${name} lies in no room of the picture: scripts/house-picture.ts`);
  return box.room;
}

/** The arrows that follow from no others: the transitive reduction of a graph without circles. */
function arrows(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly [Box, Box])[] {
  const reached = new Map<string, ReadonlySet<string>>();
  const reach = (room: string): ReadonlySet<string> => {
    const known = reached.get(room);
    if (known !== undefined) return known;
    const imported = [...(graph.get(room) ?? [])];
    const found = new Set(imported.flatMap((each) => [each, ...reach(each)]));
    reached.set(room, found);
    return found;
  };
  return boxes.flatMap((from) => {
    const imported = [...(graph.get(from.room) ?? [])];
    const needed = imported.filter((room) => !imported.some((other) => reach(other).has(room)));
    return boxes.filter(({ room }) => needed.includes(room)).map((to) => [from, to] as const);
  });
}

function drawArrow([from, to]: readonly [Box, Box]): string {
  if (to.row <= from.row) throw new Error(`${from.room} imports ${to.room}, which is drawn above it.`);
  const [x1, y1] = [from.x + size.width / 2, from.y + size.height];
  const [x2, y2] = [to.x + size.width / 2, to.y - 5];
  const bend = Math.min(60, (y2 - y1) / 2);
  return `<path class="arrow" d="M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}" marker-end="url(#head)"/>`;
}

function drawBox({ room, purpose, x, y }: Box): string {
  return [
    `<rect class="box" x="${x}" y="${y}" width="${size.width}" height="${size.height}" rx="6"/>`,
    `<text class="room" x="${x + 12}" y="${y + 17}">${room}</text>`,
    `<text class="purpose" x="${x + 12}" y="${y + 32}">${purpose}</text>`,
  ].join('\n');
}

const style = [
  'text { font: 12px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif }',
  '.ground { fill: #161b22 }',
  '.box { fill: #0d1117; stroke: #30363d }',
  '.room { font-weight: bold; fill: #58a6ff }',
  '.purpose { font-size: 11px; fill: #8b949e }',
  '.arrow { fill: none; stroke: #6e7681; stroke-width: 1.2 }',
].join(' ');

function draw(): string {
  const width = Math.max(...boxes.map(({ x }) => x)) + size.width + size.margin;
  const height = Math.max(...boxes.map(({ y }) => y)) + size.height + size.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>The rooms of src: an arrow leads from a room to one that it imports</title>',
    `<style>${style}</style>`,
    '<defs><marker id="head" viewBox="0 0 6 6" refX="3" refY="3" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L6 3 L0 6 z" fill="#6e7681"/></marker></defs>',
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    ...arrows(importGraph()).map(drawArrow),
    ...boxes.map(drawBox),
    '</svg>',
    '',
  ].join('\n');
}

const picture = draw();
if (!process.argv.includes('--check')) fs.writeFileSync(file, picture);
else if (fs.readFileSync(file, 'utf8') !== picture) {
  console.error('docs/house.svg differs from the imports of src: npm run house:picture');
  process.exitCode = 1;
}
