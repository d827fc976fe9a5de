/** Reads a case file. `test/cases/README.md` describes the notation. */
import type { ResponsePiece } from '../../src/parser/response-parser.ts';
import type { CaseOptions } from '../../src/testing/index.ts';

/** One case of a file. */
export interface FileCase {
  /** Its heading. */
  readonly title: string;
  /** Line of the heading, from 1. */
  readonly line: number;
  readonly options: CaseOptions;
  /** `described`: those of `tools.json`. `none`: an empty list. `unknown`: no list. */
  readonly tools: 'described' | 'none' | 'unknown';
  readonly response: readonly ResponsePiece[];
  readonly events: readonly string[];
  /** Why the case is known to fail; `null` when it should pass. */
  readonly knownDefect: string | null;
}

/** A file: the template that it is about, and its cases. */
export interface CaseFile {
  /** `llama/NAME.jinja`, or a file next to the case file. */
  readonly template: string;
  readonly cases: readonly FileCase[];
}

/** Reads a file's text. Throws an error with `place:line` where it is not as it should be. */
export function readCaseFile(text: string, place: string): CaseFile {
  const lines = text.split('\n');
  const template = lines
    .map((line) => /^Template: `(.+)`$/.exec(line)?.[1])
    .find((each) => each !== undefined);
  if (template === undefined) throw new Error(`${place}:1: no line "Template: \`…\`"`);
  const starts = lines.flatMap((line, index) => (line.startsWith('## ') ? [index] : []));
  const cases = starts.map((start, index) => {
    const title = (lines[start] ?? '').slice(3).trim();
    return readCase(title, start + 1, lines.slice(start + 1, starts[index + 1]), `${place}:${start + 1}`);
  });
  return { template, cases };
}

function readCase(title: string, line: number, lines: readonly string[], place: string): FileCase {
  const response = block(lines, 'response', place).join('\n');
  const options = new Map(lines.flatMap((each) => optionOf(each)));
  const known = new Map([...options].filter(([name]) => !optionNames.includes(name)));
  for (const name of known.keys()) throw new Error(`${place}: no option is called "${name}"`);
  const written = options.get('line ends') === 'CRLF' ? response.replaceAll('\n', '\r\n') : response;
  const tools = options.get('tools') ?? 'described';
  if (tools !== 'described' && tools !== 'none' && tools !== 'unknown') {
    throw new Error(`${place}: tools are "none" or "unknown"`);
  }
  return {
    title,
    line,
    options: caseOptions(options),
    tools,
    response: pieces(written),
    events: block(lines, 'events', place),
    knownDefect: options.get('known defect') ?? null,
  };
}

const optionNames = [
  'prompt',
  'tools',
  'parallel calls',
  'thoughts',
  'special tokens',
  'line ends',
  'known defect',
];

/** `- name: value`. */
function optionOf(line: string): readonly (readonly [string, string])[] {
  const found = /^- ([a-z ]+): (.+)$/.exec(line);
  return found === null ? [] : [[found[1] ?? '', found[2] ?? ''] as const];
}

function caseOptions(options: ReadonlyMap<string, string>): CaseOptions {
  const prompt = options.get('prompt');
  const special = options.get('special tokens');
  return {
    ...(prompt === undefined ? {} : { generationPrompt: String(JSON.parse(codeOf(prompt))) }),
    ...(options.get('parallel calls') === 'off' ? { parallelToolCalls: false } : {}),
    ...(options.get('thoughts') === 'in the content' ? { reasoningFormat: 'none' as const } : {}),
    ...(special === undefined ? {} : { specialTokens: Array.from(special.matchAll(/`([^`]+)`/g), codeIn) }),
  };
}

function codeIn(match: RegExpMatchArray): string {
  return match[1] ?? '';
}

/** What stands between backticks. */
function codeOf(text: string): string {
  return /^`(.*)`$/.exec(text)?.[1] ?? text;
}

/** The lines of the fenced block with a label. */
function block(lines: readonly string[], label: string, place: string): readonly string[] {
  const start = lines.findIndex((line) => line === `\`\`\`\`${label}` || line === `\`\`\`${label}`);
  const fence = /^`+/.exec(lines[start] ?? '')?.[0] ?? '';
  const end = lines.indexOf(fence, start + 1);
  if (start < 0 || end < 0) throw new Error(`${place}: no block "${label}"`);
  return lines.slice(start + 1, end);
}

/** `⟦…⟧` is one special token. */
function pieces(text: string): readonly ResponsePiece[] {
  return text
    .split(/(⟦[^⟧]*⟧)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('⟦') ? { text: part.slice(1, -1), special: true } : { text: part }));
}
