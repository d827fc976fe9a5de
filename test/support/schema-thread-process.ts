/** Compiles costly schemas with the thread of node-llama-cpp's models and without it, and prints how it went. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { GrammarError, SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { compileIn, threadFile } from '../../src/runtime/node-llama-cpp/ahead/compile-ahead.ts';

const patterns = (count: number): JsonSchema => ({
  type: 'object',
  properties: {
    a: { type: 'string', allOf: Array.from({ length: count }, (_, index) => ({ pattern: `a.{${index}}b` })) },
  },
});
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const [, , formatFile = ''] = process.argv;
const format: ChatFormat = JSON.parse(fs.readFileSync(formatFile, 'utf8'));
const file = threadFile();
if (file === null) throw new Error('there is no program of the thread');

let jobs = 0;
const inThread = compileIn(file);
const ahead = new GrammarCache(digest, null, async (job, signal) => {
  jobs += 1;
  return inThread(job, signal);
});
const alone = new GrammarCache(digest);
const optionsOf = (parameters: JsonSchema) => ({
  tools: [{ type: 'function' as const, function: { name: 'f', parameters } }],
  toolChoice: 'required' as const,
});

async function outcome(make: () => unknown): Promise<unknown> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof SchemaError || error instanceof GrammarError) return error.message;
    throw error;
  }
}
const textOf = ({ grammar: { expression, report } }: ReturnType<GrammarCache['get']>) => ({
  grammar: expression === null ? null : printGbnf(expression).length,
  report,
});

const refused: JsonSchema = { allOf: [patterns(12), { type: 'string' }] };
const results: object[] = [];
const large: JsonSchema = {
  type: 'object',
  properties: { a: { enum: Array.from({ length: 20_000 }, (_, index) => `value ${index}`) } },
};
const long: JsonSchema = { type: 'object', properties: { a: { const: 'a long text '.repeat(90_000) } } };
for (const schema of [patterns(2), patterns(8), patterns(9), refused, patterns(8), large, large, long]) {
  const before = jobs;
  const options = optionsOf(schema);
  const threaded = await outcome(async () => textOf(await ahead.prepare(format, options, undefined)));
  const plain = await outcome(() => textOf(alone.get(format, options)));
  results.push({ jobs: jobs - before, same: JSON.stringify(threaded) === JSON.stringify(plain) });
}
// Two at once share the thread, and what is compiled at once does not wait for it.
const both = [patterns(7), patterns(10)].map((schema) => ahead.prepare(format, optionsOf(schema), undefined));
ahead.get(format, optionsOf(patterns(6)));
await Promise.all(both);
console.log(JSON.stringify(results));
