/** The features that a chat combines, and which of their values go together. */
import { behaviourNames } from '../../../scripts/judge-models/insisting/behaviours.ts';
import type { RowOf } from './covering-array.ts';

/** One representative of each way to write calls and thoughts, by generated module. */
const families = {
  'qwen-qwen3-0.6b': 'JSON in tags',
  'qwen3.5-4b': 'raw arguments in tags',
  'glm-4.6': 'keys and values in tags',
  'minimax-m2': 'invocations in a section',
  'openai-gpt-oss-120b': 'channels',
  'cohereforai-c4ai-command-r7b-12-2024-tool-use': 'actions',
  'lfm2.5-8b-a1b': 'a list of Python calls',
  'meta-llama-llama-3.1-8b-instruct': 'bare JSON',
  'mistralai-mistral-nemo-instruct-2407': 'a list of JSON with ids',
  'moonshotai-kimi-k2': 'a section with ids',
  'deepseek-ai-deepseek-v3.1': 'a section, names before JSON',
  'google-gemma-4-31b-it': 'a notation of its own for values',
} as const;

/** The values of each feature. The first one is the plainest. */
export const dimensions = {
  format: Object.keys(families) as (keyof typeof families)[],
  engine: [
    'in process',
    'transformers.js',
    'llama-server',
    'vllm',
    'sglang',
    'chat completions',
    'responses',
    'messages',
    'AI SDK',
    'text alone',
  ],
  tools: ['auto', 'not offered', 'none', 'required', 'named', 'two allowed'],
  parallel: ['many', 'one'],
  answer: ['text', 'any JSON', 'schema'],
  thinking: ['on', 'off', 'budget 0', 'budget 3', 'budget 500'],
  prefill: ['nothing', 'thoughts', 'answer'],
  stop: ['nothing', 'in the answer', 'in thoughts and calls', 'line breaks'],
  limit: ['roomy', 'in thoughts', 'in the answer', 'in a name', 'in arguments'],
  sampling: ['greedy', 'hot', 'penalties', 'bias'],
  writing: ['injected', 'sampled', 'speculated'],
  policy: ['strict', 'degrade'],
  leniency: ['lenient', 'strict'],
  markers: ['tokens', 'letters'],
  behaviour: behaviourNames,
} as const;

/** One combination. */
export type Row = RowOf<typeof dimensions>;

/** The features of which all combinations of three are tried in the long form. */
export const triples = ['format', 'engine', 'tools', 'thinking', 'behaviour'] as const;

type Values = { readonly [Name in keyof Row]?: readonly Row[Name][] };

const servers = ['llama-server', 'vllm', 'sglang'] as const;

/** What goes together with a value: each entry says which values the others may have where this one is given. */
const rules: readonly (readonly [given: Values, others: Values])[] = [
  // Only the parser by itself has the option; chats know when they may be lenient.
  [{ leniency: ['strict'] }, { engine: ['text alone'] }],
  // And nothing but a text, which somebody else sampled.
  [
    { engine: ['text alone'] },
    {
      tools: ['auto', 'not offered', 'none'],
      answer: ['text'],
      thinking: ['on', 'off'],
      stop: ['nothing'],
      sampling: ['greedy'],
      writing: ['injected'],
      policy: ['strict'],
    },
  ],
  // Servers sample all text themselves.
  [{ engine: servers }, { writing: ['sampled'] }],
  // Guesses are the likeliest tokens.
  [{ sampling: ['hot'] }, { writing: ['injected', 'sampled'] }],
  // Formats without thoughts.
  [
    {
      format: [
        'meta-llama-llama-3.1-8b-instruct',
        'mistralai-mistral-nemo-instruct-2407',
        'moonshotai-kimi-k2',
      ],
    },
    { prefill: ['nothing', 'answer'], limit: ['roomy', 'in the answer', 'in a name', 'in arguments'] },
  ],
  // What these APIs have no field for.
  [{ engine: ['responses', 'messages'] }, { prefill: ['nothing'] }],
  [{ engine: ['responses'] }, { stop: ['nothing'] }],
  [{ engine: ['messages', 'AI SDK'] }, { tools: ['auto', 'not offered', 'none', 'required', 'named'] }],
  [{ engine: ['messages'] }, { answer: ['text', 'schema'] }],
];

/** Whether the values go together; incomplete rows may still become complete ones. */
export function allows(row: Partial<Row>): boolean {
  return rules.every(([given, others]) => !holds(row, given) || mayHold(row, others));
}

function holds(row: Partial<Row>, values: Values): boolean {
  return entriesOf(values).every(([name, allowed]) => row[name] !== undefined && allowed.includes(row[name]));
}

function mayHold(row: Partial<Row>, values: Values): boolean {
  return entriesOf(values).every(([name, allowed]) => row[name] === undefined || allowed.includes(row[name]));
}

function entriesOf(values: Values): readonly (readonly [keyof Row, readonly string[]])[] {
  return Object.entries(values) as [keyof Row, readonly string[]][];
}

/** The row as one text. */
export function rowText(row: Row): string {
  return Object.values(row).join(', ');
}

/** The row of such a text. Throws `RangeError` for another text. */
export function readRow(text: string): Row {
  const values = text.split(', ');
  const names = Object.keys(dimensions) as (keyof Row)[];
  const row = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  for (const name of names) {
    const known: readonly (string | undefined)[] = dimensions[name];
    if (!known.includes(row[name])) throw new RangeError(`no such ${name}: ${row[name]}`);
  }
  return row as unknown as Row;
}
