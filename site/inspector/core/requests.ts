/** What the page asks its Workers. The table runs in Node too, where tests call it. */
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import { emitFiles } from '../../../src/generate/generate-model.ts';
import { buildGrammar } from '../../../src/grammar/build-grammar.ts';
import { buildStructuralTag } from '../../../src/grammar/structural-tag/build-structural-tag.ts';
import { toResponseTemplate } from '../../../src/response-template/from-format/to-response-template.ts';
import { type Conversation, inspectTemplate, type TemplateInput } from './inspect-template.ts';
import { type Reading, type ReadingRequest, readResponse } from './read-response.ts';
import { shownReading, type TextWindow } from './shown-reading.ts';
import { triedLaws } from './tried-laws.ts';
import { writeConversation } from './written-message.ts';

/** A file that the page shows. */
export interface MadeFile {
  readonly name: string;
  readonly text: string;
}

/** The requests by name. Each takes plain data and gives plain data. */
export const requests = {
  inspect: (input: TemplateInput) => inspectTemplate(input),
  write: (ask: {
    readonly input: TemplateInput;
    readonly format: ChatFormat;
    readonly conversation: Conversation;
  }) => writeConversation(ask.input, ask.format, ask.conversation),
  read: (ask: {
    readonly format: ChatFormat;
    readonly request: ReadingRequest;
    readonly window: TextWindow;
  }) => shownReading(knownReading(knownFormat(ask.format), ask.request), ask.window),
  files: (ask: { readonly format: ChatFormat; readonly conversation: Conversation }) =>
    madeFiles(ask.format, ask.conversation),
  laws: (ask: { readonly input: TemplateInput; readonly format: ChatFormat }) =>
    triedLaws(ask.input, ask.format),
} as const;

/** Names of requests. */
export type RequestName = keyof typeof requests;
/** What a request is given. */
export type Ask<Name extends RequestName> = Parameters<(typeof requests)[Name]>[0];
/** What comes of it. */
export type Answer<Name extends RequestName> = ReturnType<(typeof requests)[Name]>;

let lastFormat: { readonly key: string; readonly format: ChatFormat } | null = null;

/** Every message carries a copy of the format; one object of it keeps the parser and the grammar made from it. */
function knownFormat(format: ChatFormat): ChatFormat {
  const key = JSON.stringify(format);
  if (lastFormat?.key !== key) lastFormat = { key, format };
  return lastFormat.format;
}

let lastReading: {
  readonly format: ChatFormat;
  readonly request: ReadingRequest;
  readonly reading: Reading;
} | null = null;

/** Scrolling asks for another part of what was read last. */
function knownReading(format: ChatFormat, request: ReadingRequest): Reading {
  if (lastReading?.format !== format || !isSameRequest(lastReading.request, request)) {
    lastReading = { format, request, reading: readResponse(format, request) };
  }
  return lastReading.reading;
}

function isSameRequest(one: ReadingRequest, other: ReadingRequest): boolean {
  return (
    one.at === other.at &&
    one.generationPrompt === other.generationPrompt &&
    one.text === other.text &&
    JSON.stringify(one.tools) === JSON.stringify(other.tools)
  );
}

function madeFiles(format: ChatFormat, { tools }: Conversation): readonly MadeFile[] {
  const files = emitFiles(format);
  const { template, unsupported } = toResponseTemplate(format);
  const notes = unsupported.map(({ detail }) => `// ${detail}\n`).join('');
  return [
    ...toolGrammars(format, tools),
    { name: 'response.gbnf', text: files['response.gbnf'] ?? '' },
    { name: 'response.ohm', text: files['response.ohm'] ?? '' },
    ...structuralTag(format, tools),
    { name: 'parser.ts', text: files['parser.ts'] ?? '' },
    { name: 'format.json', text: files['format.json'] ?? '' },
    { name: 'response-template.json', text: `${notes}${JSON.stringify(template, null, 2)}\n` },
  ];
}

/** The grammars of the tools, with what starts them. */
function toolGrammars(format: ChatFormat, tools: Conversation['tools']): readonly MadeFile[] {
  if (format.calls === null || tools.length === 0) return [];
  return (['auto', 'required'] as const).map((toolChoice) => {
    const name = `tools.${toolChoice}.gbnf`;
    try {
      const made = buildGrammar(format, { tools, toolChoice, policy: 'degrade' });
      const starts = made.triggers.map(
        ({ type, value }) => `# starts at the ${type} ${JSON.stringify(value)}\n`,
      );
      const report = made.report.map((issue) => `# not enforced: ${JSON.stringify(issue)}\n`);
      return { name, text: `${starts.join('')}${report.join('')}${made.grammar ?? ''}` };
    } catch (error) {
      return { name, text: `# ${error instanceof Error ? error.message : String(error)}` };
    }
  });
}

/** The same as XGrammar enforces it in vLLM and SGLang. */
function structuralTag(format: ChatFormat, tools: Conversation['tools']): readonly MadeFile[] {
  if (format.calls === null || tools.length === 0) return [];
  const name = 'structural-tag.json';
  try {
    const { tag } = buildStructuralTag(format, { tools, policy: 'degrade' });
    return [{ name, text: `${JSON.stringify(tag, null, 2)}\n` }];
  } catch (error) {
    return [{ name, text: `// ${error instanceof Error ? error.message : String(error)}` }];
  }
}
