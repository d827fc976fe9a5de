/**
 * Writes training data: `tsx scripts/toy/make-data.ts out.bin --seed 1 --groups 5000 --stage easy|match|json|all`.
 *
 * A file is a list of groups, all numbers 16 bits: the header's length and tokens, how many conversations follow, and
 * for each its theme, its length and its tokens, of which those to be learned carry the highest bit.
 */
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import type { ToyFormat } from '../../src/testing/toy/templates.ts';
import { toyMerges } from '../../src/testing/toy/tokens.ts';
import { makeConversation, type Setting, type Theme, themes } from './conversations.ts';
import { makeHeader } from './offers.ts';
import { Random } from './random.ts';
import { conversationParts, encodeParts, headerText, learnTemplate } from './samples.ts';
import { learnMerges, Tokenizer } from './tokenizer.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    groups: { type: 'string', default: '1000' },
    stage: { type: 'string', default: 'json' },
    'held-out': { type: 'boolean', default: false },
    'learn-merges': { type: 'string' },
    show: { type: 'boolean', default: false },
  },
});
const perGroup = 14;
const random = new Random(Number(values.seed));
const templates = {
  json: learnTemplate('json'),
  tags: learnTemplate('tags'),
  channels: learnTemplate('channels'),
};

/** How often each theme comes. */
const mixes: Readonly<Record<string, readonly (readonly [Theme, number])[]>> = {
  easy: [
    ['call', 6],
    ['chat', 1],
    ['refusal', 2],
    ['loop', 2],
  ],
  // Whether the one tool is what is asked for, in all formats.
  match: [
    ['call', 6],
    ['chat', 1],
    ['refusal', 7],
    ['loop', 1],
  ],
  json: [
    ['call', 6],
    ['chat', 1],
    ['refusal', 8],
    ['loop', 3],
    ['parallel', 4],
    ['several', 3],
  ],
};

function pickTheme(stage: string): Theme {
  const mix = mixes[stage] ?? mixes.json ?? [];
  let rest = random.next() * mix.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [theme, weight] of mix) {
    rest -= weight;
    if (rest < 0) return theme;
  }
  return 'call';
}

function pickFormat(stage: string): ToyFormat {
  if (stage === 'tags' || stage === 'channels') return stage;
  if (stage === 'easy' || stage === 'json') return 'json';
  const at = random.next();
  return at < 0.44 ? 'json' : at < 0.72 ? 'tags' : 'channels';
}

function* groups(count: number, stage: string) {
  for (let index = 0; index < count; index += 1) {
    const name = pickFormat(stage);
    const template = templates[name];
    const header = makeHeader(random, stage === 'easy' || stage === 'match');
    const setting: Setting = {
      random,
      split: values['held-out'] ? 'held-out' : 'training',
      parallel: name !== 'channels',
      switchable: name !== 'channels',
      ...(stage === 'match' && { thinkingShare: 0.35 }),
    };
    const conversations = Array.from({ length: perGroup }, () =>
      makeConversation(setting, header, pickTheme(stage)),
    );
    yield {
      header: headerText(template, header),
      conversations: conversations.map((each) => ({
        theme: each.theme,
        parts: conversationParts(template, each),
      })),
    };
  }
}

if (values['learn-merges'] !== undefined) {
  const texts: string[] = [];
  for (const { header, conversations } of groups(Number(values.groups), 'all')) {
    texts.push(header, ...conversations.flatMap(({ parts }) => parts.map(({ text }) => text)));
  }
  const merges = learnMerges(texts, Number(values['learn-merges']));
  console.log(merges.map((pair) => pair.join('+')).join(' '));
} else if (values.show) {
  for (const { header, conversations } of groups(Number(values.groups), values.stage)) {
    console.log(header);
    for (const { theme, parts } of conversations)
      console.log(`[${theme}]`, parts.map(({ text, learned }) => (learned ? `«${text}»` : text)).join(''));
  }
} else {
  const tokenizer = new Tokenizer(toyMerges());
  const numbers: number[] = [];
  for (const { header, conversations } of groups(Number(values.groups), values.stage)) {
    const head = tokenizer.encode(header);
    numbers.push(head.length, ...head, conversations.length);
    for (const { theme, parts } of conversations) {
      const tokens = encodeParts(tokenizer, parts);
      numbers.push(themes.indexOf(theme), tokens.length, ...tokens);
    }
  }
  fs.writeFileSync(positionals[0] ?? 'data.bin', Uint16Array.from(numbers));
  console.log(`${numbers.length} tokens, vocabulary ${tokenizer.size}`);
}
