/**
 * `npm run picture`: draws docs/one-message.svg, the same message as six models write it, taken apart by
 * their generated formats. With `--check` it writes nothing and ends with 1 when the picture differs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type SampleSpan, sampleSpans } from '../src/cli/sample-response.ts';
import type { ChatFormat } from '../src/format/chat-format.ts';

const panels = [
  ['Qwen3', 'qwen-qwen3-0.6b'],
  ['MiniMax M2', 'minimax-m2'],
  ['Gemma 4', 'google-gemma-4-31b-it'],
  ['Kimi K2 Thinking', 'kimi-k2-thinking'],
  ['GLM 4.6', 'glm-4.6'],
  ['Ministral 3', 'mistralai-ministral-3-14b-reasoning-2512'],
] as const;

const root = path.join(import.meta.dirname, '..');
const file = path.join(root, 'docs/one-message.svg');

/** In pixels; a character of the monospaced font is `unit` wide. */
const size = { unit: 7.25, line: 17, columns: 66, margin: 18, gap: 14, title: 30, legend: 34 } as const;
const panelWidth = Math.ceil(size.columns * size.unit) + 2 * size.margin;

const legend = [
  ['marker', 'marker'],
  ['reasoning', 'reasoning-delta'],
  ['content', 'text-delta'],
  ['tool', 'tool-input-start'],
  ['arguments', 'tool-input-delta'],
] as const;

type Line = readonly SampleSpan[];

/** Lines as the model writes them, the long ones wrapped. */
function toLines(spans: readonly SampleSpan[]): readonly Line[] {
  const lines: SampleSpan[][] = [[]];
  let column = 0;
  for (const { type, text } of spans) {
    for (const piece of text.split(/(\n)/)) {
      for (const part of piece === '\n' ? ['\n'] : wrap(piece, column)) {
        if (part === '\n') {
          lines.push([]);
          column = 0;
        } else {
          lines.at(-1)?.push({ type, text: part });
          column += part.length;
        }
      }
    }
  }
  while (lines.at(-1)?.length === 0) lines.pop();
  while (lines[0]?.length === 0) lines.shift();
  return lines;
}

/** Cuts what does not fit after `column`; `\n` stands between the parts. */
function wrap(text: string, column: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  let room = size.columns - column;
  while (rest.length > room) {
    if (room > 0) parts.push(rest.slice(0, room));
    parts.push('\n');
    rest = rest.slice(room);
    room = size.columns;
  }
  return rest === '' ? parts : [...parts, rest];
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (unit) => `&#${unit.charCodeAt(0)};`);
}

function drawSpans(spans: Line, x: number, y: number): string {
  const drawn = spans.map(({ type, text }) => `<tspan class="${type ?? 'other'}">${escapeXml(text)}</tspan>`);
  return `<text x="${x}" y="${y}" xml:space="preserve">${drawn.join('')}</text>`;
}

function readFormat(name: string): ChatFormat {
  return JSON.parse(fs.readFileSync(path.join(root, 'generated', name, 'format.json'), 'utf8'));
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

function drawPanel(panel: Panel, x: number, y: number): string {
  const { title, lines } = panel;
  const left = x + size.margin;
  return [
    `<rect class="panel" x="${x}" y="${y}" width="${panelWidth}" height="${panelHeight(panel)}" rx="8"/>`,
    `<text class="title" x="${left}" y="${y + size.title - 7}">${escapeXml(title)}</text>`,
    ...lines.map((line, index) => drawSpans(line, left, y + size.title + (index + 1) * size.line - 4)),
  ].join('\n');
}

function panelHeight({ lines }: Panel): number {
  return size.title + lines.length * size.line + size.margin;
}

function draw(): string {
  const made = panels.map(
    ([title, name]): Panel => ({ title, lines: toLines(sampleSpans(readFormat(name))) }),
  );
  // Each panel goes where there is more room.
  const ends = [0, 0].map(() => size.legend + size.gap);
  const drawn = made.map((panel) => {
    const column = (ends[0] ?? 0) <= (ends[1] ?? 0) ? 0 : 1;
    const y = ends[column] ?? 0;
    ends[column] = y + panelHeight(panel) + size.gap;
    return drawPanel(panel, column * (panelWidth + size.gap), y);
  });
  const [width, height] = [2 * panelWidth + size.gap, Math.max(...ends) - size.gap];
  const key = legend.map(([text, type]): SampleSpan => ({ type, text: `■ ${text}   ` }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>One message, as six models write it</title>',
    `<style>${style}</style>`,
    `<rect class="panel" width="${width}" height="${size.legend}" rx="8"/>`,
    drawSpans(key, size.margin, size.legend - 13),
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

const style = [
  'text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }',
  '.title { font-weight: bold; fill: #e6edf3 }',
  '.panel { fill: #161b22 }',
  '.other { fill: #8b949e }',
  '.marker { fill: #58a6ff }',
  '.reasoning-delta { fill: #d29922; font-style: italic }',
  '.text-delta { fill: #f0f6fc; font-weight: bold }',
  '.tool-input-start { fill: #d2a8ff }',
  '.tool-input-delta { fill: #56d364 }',
  '@media (prefers-color-scheme: light) {',
  '.title { fill: #1f2328 } .panel { fill: #f6f8fa } .other { fill: #59636e } .marker { fill: #0969da }',
  '.reasoning-delta { fill: #9a6700 } .text-delta { fill: #1f2328 } .tool-input-start { fill: #8250df }',
  '.tool-input-delta { fill: #116329 } }',
].join(' ');

const picture = draw();
if (!process.argv.includes('--check')) fs.writeFileSync(file, picture);
else if (fs.readFileSync(file, 'utf8') !== picture) {
  console.error('docs/one-message.svg differs from what the formats say: npm run picture');
  process.exitCode = 1;
}
