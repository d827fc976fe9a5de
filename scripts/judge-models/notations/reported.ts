/** What trained models are reported to write when they call tools, written by a scripted model in `auto`. */
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, Tool } from '../../../src/format/messages.ts';
import { type Response, readFree, thrownResponse } from '../asking/response.ts';
import {
  casesFolder,
  generatedTemplates,
  type NamedTemplate,
  outsideTemplate,
} from '../insisting/chat-templates.ts';
import { type InsistedResponse, InsistingModel, type Request } from '../insisting/insisting-model.ts';

/** One reported output. */
export interface ReportedOutput {
  readonly id: string;
  readonly source: string;
  readonly model: string;
  /** A generated module, or `template:` and a file next to the cases. */
  readonly module: string;
  readonly text: string;
  readonly tools: readonly Tool[];
  readonly expected: {
    readonly content?: string;
    readonly calls?: readonly (readonly [name: string, input: JsonObject])[];
  };
  readonly kind: string;
}

/** What became of it. */
export interface ReportedOutcome {
  readonly output: ReportedOutput;
  readonly response: InsistedResponse;
  /** The parser alone, without the grammar that refuses some of these texts, reads the calls that were meant. */
  readonly parsedAsMeant: boolean;
  /** The calls are those that were meant, or none were meant and none read. */
  readonly asMeant: boolean;
  /** Calls were handed out. */
  readonly read: boolean;
  /** All calls that were handed out are enforced or validated. */
  readonly assured: boolean;
  /** A call was meant and not read, and no event says that something looks like one. */
  readonly lost: boolean;
}

/** The file of reported outputs; `null` if it is not there. */
export function reportedFile(): string | null {
  const file = path.join(casesFolder(), 'models-write.jsonl');
  return fs.existsSync(file) ? file : null;
}

/** Writes each output of the file, or of one like it, in turn. */
export async function* tryReported(file: string): AsyncGenerator<ReportedOutcome> {
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  const templates = new Map((await generatedTemplates()).map((each) => [each.name, each]));
  for (const line of lines) {
    const output: ReportedOutput = JSON.parse(line);
    const template = templateOf(output.module, templates);
    if (template === null) continue;
    const { alone, response } = await write(output, template).catch(refused);
    yield judge(output, alone, response);
  }
}

function templateOf(module: string, known: ReadonlyMap<string, NamedTemplate>): NamedTemplate | null {
  const [, file] = module.split('template:');
  return file === undefined ? (known.get(module) ?? null) : outsideTemplate(file);
}

/** What the parser alone makes of a text, and what a chat hands out of it. */
interface WrittenOutput {
  readonly alone: Response;
  readonly response: InsistedResponse;
}

async function write({ text, tools, kind }: ReportedOutput, template: NamedTemplate): Promise<WrittenOutput> {
  const { format } = template;
  const end = format.turn.ends[0]?.trim() ?? '';
  const whole = end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;
  // A call and what it is spelt out to take fewer tokens than the text has characters.
  const request: Request = { tools, maxTokens: text.length + 200 };
  const model = await InsistingModel.open(template, [request]);
  try {
    const { generationPrompt } = model.preview(request);
    // What an API shows as an answer comes after the thoughts that the prompt may have opened; a text may end them itself.
    const thoughtsEnd = format.reasoning?.end.trim() ?? '';
    const isThought = kind === 'call in open thoughts' || (thoughtsEnd !== '' && text.includes(thoughtsEnd));
    const turn = isThought ? whole : model.responseTo(request, whole);
    const response = await model.respond(model.spelling.encodeTurn(turn), request);
    const written = { text: turn + end, tokens: 0, cut: false };
    return { alone: readFree(written, { format, tools, generationPrompt }), response };
  } finally {
    await model.dispose();
  }
}

/** A request that is refused before its first token: the template knows no calls, for example. */
function refused(error: unknown): WrittenOutput {
  const response = thrownResponse(error);
  return { alone: response, response: { ...response, error: 'refused' } };
}

function judge(output: ReportedOutput, alone: Response, response: InsistedResponse): ReportedOutcome {
  const meant = output.expected.calls ?? [];
  const isMeant = ({ calls }: Response) =>
    isDeepStrictEqual(plain(calls.map((call) => [call.name, call.arguments])), plain(meant));
  const read = response.calls.length > 0;
  return {
    output,
    response,
    parsedAsMeant: isMeant(alone),
    asMeant: isMeant(response),
    read,
    assured: response.calls.every(({ assurance }) => assurance !== 'none'),
    lost: meant.length > 0 && !read && !response.told && response.thrown === null,
  };
}

/** Prototypes do not matter. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
