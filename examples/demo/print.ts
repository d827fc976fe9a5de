/** What the demo shows, in colours. */
import path from 'node:path';
import { Ajv } from 'ajv';
import type { ChatPreview, ChatStream, LearnedTemplate } from 'idiolect/node-llama-cpp';
import type { ResponseEvent, ResponseMessage } from 'idiolect/parser';
import pc from 'picocolors';
import { demoTools } from '../support/demo-tools.ts';
import type { DemoModule } from './generate-module.ts';

const say = (line = ''): void => console.log(line);
const heading = (title: string): void => say(`\n${pc.bold(pc.cyan(`▍ ${title}`))}`);
const note = (text: string): void => say(pc.dim(`  ${text}`));

/** Says what will happen, and that random weights write nonsense. */
export function printIntroduction(random: boolean): void {
  say(pc.bold('\n  Idiolect') + pc.dim(' · reads how a model writes, and makes it keep to it'));
  if (!random) return;
  say();
  say(
    `  ${pc.yellow('This model has random weights.')} It was made on this machine a moment ago, and knows nothing:`,
  );
  say(`  what it writes freely is nonsense, and what it puts into arguments too. What is not random`);
  say(`  is the form. Under the grammar every call is complete and fits its tool's schema.`);
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
  note('the marker in its thoughts must change nothing, and "kelvin" is no unit of get_weather:');
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
export async function printResponse(toolChoice: string, stream: ChatStream): Promise<void> {
  heading(`toolChoice: '${toolChoice}'`);
  process.stdout.write('  ');
  for await (const event of stream) process.stdout.write(showEvent(event));
  say();
}

/** One event on the screen. */
function showEvent(event: ResponseEvent): string {
  switch (event.type) {
    case 'reasoning-start':
      return pc.dim('thinking ');
    case 'reasoning-delta':
      return pc.italic(pc.gray(flat(event.delta)));
    case 'text-start':
      return pc.dim('text ');
    case 'text-delta':
      return flat(event.delta);
    case 'reasoning-end':
    case 'text-end':
      return '\n  ';
    case 'tool-input-start':
      return `${pc.dim('calls ')}${pc.bold(pc.green(event.toolName))} `;
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
  readonly toolChoice: string;
  readonly random: boolean;
  readonly milliseconds: number;
}

const ajv = new Ajv({ strict: false });

/** The arguments, judged by a validator that knows nothing of grammars. */
function validity(name: string, input: unknown): string {
  const tool = demoTools.find((each) => each.function.name === name);
  if (tool === undefined) return pc.red('no such tool');
  const valid = ajv.validate(tool.function.parameters ?? true, input);
  return valid ? pc.green('✓ valid for its schema') : pc.red(ajv.errorsText());
}

/** The message, and what to make of it. */
export function printVerdict(message: ResponseMessage, { toolChoice, random, milliseconds }: Verdict): void {
  const calls = message.tool_calls ?? [];
  for (const { function: call } of calls) {
    const input: object = JSON.parse(call.arguments);
    say(`  ${pc.bgGreen(pc.black(' call '))} ${pc.bold(call.name)}  ${validity(call.name, input)}`);
    for (const [key, value] of Object.entries(input))
      say(`    ${pc.dim(key.padEnd(9))} ${JSON.stringify(value)}`);
  }
  if (calls.length > 0) note(`${milliseconds.toFixed(0)} ms`);
  else if (random) note('free text of random weights, cut after a few tokens: it never chose to call');
  else note(`answered without a call, as '${toolChoice}' allows · ${milliseconds.toFixed(0)} ms`);
}
