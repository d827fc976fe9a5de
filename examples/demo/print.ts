/** What the demo shows, in colours. */
import path from 'node:path';
import { Ajv } from 'ajv';
import type { ChatPreview, LearnedTemplate, ToolRun, ToolRunEvent } from 'idiolect/node-llama-cpp';
import type { ResponseEvent, ResponseMessage } from 'idiolect/parser';
import pc from 'picocolors';
import type { Tool } from '../../src/format/messages.ts';
import type { DemoModule } from './generate-module.ts';

export const say = (line = ''): void => console.log(line);
const heading = (title: string): void => say(`\n${pc.bold(pc.cyan(`▍ ${title}`))}`);
const note = (text: string): void => say(pc.dim(`  ${text}`));

/** Says what will happen, and how little the toy knows. */
export function printIntroduction(toy: boolean): void {
  say(pc.bold('\n  Idiolect') + pc.dim(' · reads how a model writes, and makes it keep to it'));
  if (!toy) return;
  say();
  say(
    `  ${pc.yellow('This model is a toy:')} two megabytes, trained to use a few tools, and it comes with the`,
  );
  say('  package. It does decide what to call and what to say, knows nothing else, and makes mistakes.');
  say('  The results of its tools are made up. That every call fits its schema is the grammar’s work.');
}

/** The model, and what was read off its template. */
export function printModel(file: string, generated: DemoModule, { format }: LearnedTemplate): void {
  heading('The module, generated from the model’s chat template');
  note(`${path.basename(file)} → ${generated.folder} in ${generated.milliseconds.toFixed(0)} ms`);
  const files = [...generated.files].map(([name, lines]) => `${name} ${pc.dim(`${lines} lines`)}`);
  say(`  ${files.join(pc.dim(' · '))}`);
  note(`calls ${format.labels.toolFormat ?? 'none'} · reasoning ${format.labels.reasoningMode}`);
}

/** What the scripted model is going to write if nobody stops it. */
export function printScript(script: string): void {
  heading('A model that follows a script, to see the grammar at work');
  note('left alone it would write:');
  for (const line of script.split('\n')) say(pc.dim('  │ ') + pc.gray(line));
  note('the marker in its thoughts must have no effect, and "kelvin" is not a unit of get_weather:');
}

const longestPrompt = 14;

/** The prompt that the model's own template rendered. */
export function printPrompt({ prompt, promptTokens }: ChatPreview): void {
  heading(`The prompt, ${promptTokens} tokens`);
  const lines = prompt.trimEnd().split('\n');
  const half = longestPrompt / 2;
  const shown =
    lines.length <= longestPrompt
      ? lines
      : [...lines.slice(0, half), `… ${lines.length - longestPrompt} lines more …`, ...lines.slice(-half)];
  for (const line of shown) say(pc.dim('  │ ') + pc.gray(line.slice(0, 110)));
}

/** The events as they come. */
export async function printResponse(title: string, stream: AsyncIterable<ResponseEvent>): Promise<void> {
  heading(title);
  for await (const event of stream) process.stdout.write(showEvent(event));
  say();
}

/** A run of tools as it goes: thoughts, calls, results, the answer. */
export async function printRun(title: string | null, run: ToolRun): Promise<void> {
  const started = performance.now();
  if (title !== null) heading(title);
  for await (const event of run) process.stdout.write(showStep(event));
  note(`${(performance.now() - started).toFixed(0)} ms`);
}

/** Whether a run of the toy is to be believed: it can only copy. */
export function printCopies(invented: readonly string[]): void {
  if (invented.length === 0)
    say(pc.green('  ✓ all values in its call and its answer come from the question and the result'));
  else
    say(pc.red(`  ✗ the toy erred: nobody said ${invented.map((each) => JSON.stringify(each)).join(', ')}`));
}

function showStep(event: ToolRunEvent): string {
  switch (event.type) {
    case 'tool-result':
      return `  ${pc.dim('result')} ${flat(event.content)}\n`;
    case 'tool-error':
      return `  ${pc.dim('result')} ${pc.red(flat(event.content))}\n`;
    case 'run-finish':
      return event.reason === 'answer' ? '' : pc.red(`  ended without an answer: ${event.reason}\n`);
    case 'step-start':
    case 'finish':
      return '';
    default:
      return showEvent(event);
  }
}

/** One event on the screen. */
function showEvent(event: ResponseEvent): string {
  switch (event.type) {
    case 'reasoning-start':
      return pc.dim('  thinking ');
    case 'reasoning-delta':
      return pc.italic(pc.gray(flat(event.delta)));
    case 'text-start':
      return pc.dim('  text ');
    case 'text-delta':
      return flat(event.delta);
    case 'reasoning-end':
    case 'text-end':
    case 'tool-input-end':
      return '\n';
    case 'tool-input-start':
      return `${pc.dim('  calls ')}${pc.bold(pc.green(event.toolName))} `;
    case 'tool-input-delta':
      return pc.green(flat(event.delta));
    case 'malformed':
      return pc.red(` malformed: ${event.reason} `);
    case 'finish':
      return pc.dim(`  finish: ${event.reason}`);
    default:
      return '';
  }
}

/** On one line, so that nothing runs out of its frame. */
function flat(text: string): string {
  return text.replace(/\s+/g, ' ');
}

interface Verdict {
  readonly tools: readonly Tool[];
  readonly milliseconds: number;
}

const ajv = new Ajv({ strict: false });

/** The arguments, judged by a validator that knows nothing of grammars. */
function validity(tools: readonly Tool[], name: string, input: unknown): string {
  const tool = tools.find((each) => each.function.name === name);
  if (tool === undefined) return pc.red('no such tool');
  const valid = ajv.validate(tool.function.parameters ?? true, input);
  return valid ? pc.green('✓ valid for its schema') : pc.red(ajv.errorsText());
}

/** The message, and what to make of it. */
export function printVerdict(message: ResponseMessage, { tools, milliseconds }: Verdict): void {
  const calls = message.tool_calls ?? [];
  for (const { function: call } of calls) {
    const input: object = JSON.parse(call.arguments);
    say(`  ${pc.bgGreen(pc.black(' call '))} ${pc.bold(call.name)}  ${validity(tools, call.name, input)}`);
    for (const [key, value] of Object.entries(input))
      say(`    ${pc.dim(key.padEnd(9))} ${JSON.stringify(value)}`);
  }
  if (calls.length > 0) note(`${milliseconds.toFixed(0)} ms`);
  else note(`answered without a call · ${milliseconds.toFixed(0)} ms`);
}
