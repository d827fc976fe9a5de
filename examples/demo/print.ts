/** What the demo shows, in colours. */
import path from 'node:path';
import { Ajv } from 'ajv';
import type { ChatPreview, LearnedTemplate, ToolRun, ToolRunEvent } from 'idiolect/node-llama-cpp';
import type { ResponseEvent, ResponseMessage } from 'idiolect/parser';
import pc from 'picocolors';
import { terminalText } from '../../src/cli/terminal-text.ts';
import type { Tool } from '../../src/format/messages.ts';
import type { CopyVerdict } from './copies.ts';
import type { DemoModule } from './generate-module.ts';
import { type WrappedOutput, wrappedOutput, wrapText } from './wrap.ts';

const columns = (): number => process.stdout.columns ?? 100;

export const say = (line = ''): void => console.log(line);
/** Says a text in lines that fit. */
export const sayText = (text: string, paint = (line: string): string => line): void =>
  say(wrapText(text, columns()).split('\n').map(paint).join('\n'));
const heading = (title: string): void => say(`\n${pc.bold(pc.cyan(`▍ ${title}`))}`);
const note = (text: string): void => sayText(text, pc.dim);

/** Says what will happen, and how little the toy knows. */
export function printIntroduction(toy: boolean): void {
  say(`\n  ${pc.bold('Idiolect')}`);
  note('learns a model’s format from its chat template, and enforces it');
  if (!toy) return;
  say();
  sayText(
    'This model is a toy: two megabytes, trained to use a few tools, and it comes with the package. It chooses calls and answers itself; it knows little and makes mistakes. The results of its tools are made up. The grammar guarantees that every call fits its schema.',
  );
}

/** The model, and what was read off its template. */
export function printModel(file: string, generated: DemoModule, { format }: LearnedTemplate): void {
  heading('The module, generated from the model’s chat template');
  note(`${path.basename(file)} → ${generated.folder} in ${generated.milliseconds.toFixed(0)} ms`);
  const files = [...generated.files].map(([name, lines]) => `${name} ${pc.dim(`${lines} lines`)}`);
  for (const file of files) say(`  ${file}`);
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
  for (const line of shown) say(pc.dim('  │ ') + pc.gray(line.slice(0, columns() - 5)));
}

/** The events as they come. */
export async function printResponse(title: string, stream: AsyncIterable<ResponseEvent>): Promise<void> {
  heading(title);
  const output = openOutput();
  for await (const event of stream) showEvent(event, output);
  output.newLine();
}

/** A run of tools as it goes: thoughts, calls, results, the answer. */
export async function printRun(title: string | null, run: ToolRun): Promise<void> {
  const started = performance.now();
  if (title !== null) heading(title);
  const output = openOutput();
  try {
    for await (const event of run) showStep(event, output);
  } finally {
    output.flush();
  }
  note(`${(performance.now() - started).toFixed(0)} ms`);
}

/** Whether a turn of the toy is to be believed: it can only copy. */
export function printCopies({ calls, invented }: CopyVerdict): void {
  const inventions = invented.map((each) => JSON.stringify(each)).join(', ');
  if (invented.length > 0) sayText(`✗ the toy erred: nobody said ${inventions}`, pc.red);
  else if (calls === 0) note('– no tool was called, so there is nothing to check');
  else
    sayText(
      '✓ every value of its calls and every figure of its answer was in the question or a result',
      pc.green,
    );
}

/** Why there is no answer. */
export function printTrouble(reason: string): void {
  say();
  sayText(terminalText(`! ${reason}`), pc.yellow);
}

function openOutput(): WrappedOutput {
  return wrappedOutput((text) => void process.stdout.write(text), columns);
}

function showStep(event: ToolRunEvent, output: WrappedOutput): void {
  switch (event.type) {
    case 'tool-result':
    case 'tool-error':
      output.write('  result ', pc.dim);
      output.write(flat(event.content), event.type === 'tool-error' ? pc.red : plain);
      output.newLine();
      break;
    case 'run-finish':
      if (event.reason === 'answer') break;
      output.write(`  ended without an answer: ${event.reason}`, pc.red);
      output.newLine();
      break;
    case 'step-start':
    case 'finish':
      break;
    default:
      showEvent(event, output);
      break;
  }
}

const plain = (text: string): string => text;
const thought = (text: string): string => pc.italic(pc.gray(text));
const toolName = (text: string): string => pc.bold(pc.green(text));

/** One event on the screen. */
function showEvent(event: ResponseEvent, output: WrappedOutput): void {
  switch (event.type) {
    case 'reasoning-start':
      output.write('  thinking ', pc.dim);
      break;
    case 'reasoning-delta':
      output.write(flat(event.delta), thought);
      break;
    case 'text-start':
      output.write('  text ', pc.dim);
      break;
    case 'text-delta':
      output.write(flat(event.delta), plain);
      break;
    case 'reasoning-end':
    case 'text-end':
    case 'tool-input-end':
      output.newLine();
      break;
    case 'tool-input-start':
      output.write('  calls ', pc.dim);
      output.write(`${event.toolName} `, toolName);
      break;
    case 'tool-input-delta':
      output.write(flat(event.delta), pc.green);
      break;
    case 'malformed':
      output.write(` malformed: ${event.reason} `, pc.red);
      break;
    case 'finish':
      output.write(`  finish: ${event.reason}`, pc.dim);
      break;
    default:
      break;
  }
}

/** On one line, so that nothing runs out of its frame, and without what a terminal would carry out. */
function flat(text: string): string {
  return terminalText(text.replace(/\s+/g, ' '));
}

interface Verdict {
  readonly tools: readonly Tool[];
  readonly milliseconds: number;
}

const ajv = new Ajv({ strict: false });

/** The arguments, judged by a validator that knows nothing of grammars. */
function validity(tools: readonly Tool[], name: string, input: unknown): string {
  const tool = tools.find((each) => each.function.name === name);
  if (tool === undefined) return pc.red('✗ no such tool');
  const valid = ajv.validate(tool.function.parameters ?? true, input);
  return valid ? pc.green('✓ fits the schema') : pc.red(`✗ ${ajv.errorsText(ajv.errors, { dataVar: name })}`);
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
