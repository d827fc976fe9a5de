/**
 * The errors of Idiolect: one base class, and one class for each way in which a caller would react. Facts are fields;
 * the message says what happened, where, and what to do, but not what users and models wrote: errors are logged.
 */
import type { Capabilities } from './capabilities.ts';
import { aboutFile, errorClass, overflow, type Thrown } from './error-class.ts';

export { IdiolectError } from './error-class.ts';

/** Quoted and escaped, because the text may contain anything. */
const quoted = (text: string): string => JSON.stringify(text);

/** A chat template that does not parse, raises an exception, or uses something that does not exist. */
export class TemplateError extends /* @__PURE__ */ errorClass(
  'template',
  (facts: {
    /** The name of the template: a file, a model, or `template`. */
    readonly template: string;
    /** What went wrong, without the location. */
    readonly reason: string;
    /** `syntax`: it does not parse. `raised`: its own `raise_exception`. `runtime`: anything else. */
    readonly kind: 'syntax' | 'raised' | 'runtime';
    /** Line of the template's source, from 1, if known. */
    readonly line?: number;
    /** Column of the tag at fault in that line, from 1, if known. */
    readonly column?: number;
    /** That line, or its beginning. */
    readonly sourceLine?: string;
  }) => {
    const place = [facts.template, facts.line, facts.column].filter((part) => part !== undefined);
    return `${place.join(':')}: ${facts.reason}`;
  },
) {}

const limitUnits = {
  steps: 'steps',
  output: 'characters of output',
  depth: 'levels of nesting',
  source: 'characters of source',
  budget: 'steps in all its renders together',
} as const;

/** A template exceeded its limit of steps, output or recursion: it is broken or hostile. */
export class TemplateLimitError extends /* @__PURE__ */ errorClass(
  'template-limit',
  (facts: { readonly template: string; readonly limit: keyof typeof limitUnits; readonly allowed: number }) =>
    `${facts.template}: it needs more than ${facts.allowed} ${limitUnits[facts.limit]}; is this a chat template?`,
) {}

/** A template's output cannot be read as a chat format. */
export class AnalysisError extends /* @__PURE__ */ errorClass(
  'analysis',
  (facts: {
    readonly template: string;
    /** The probe whose result could not be used. */
    readonly probe: string;
    readonly reason: string;
  }) => `${facts.template}: ${facts.reason} (probe ${facts.probe})`,
) {}

/**
 * A keyword of a tool's schema that the grammar does not fully enforce. In the report of a chat also a fact about its
 * messages, with the keyword `messages` and neither tool nor pointer: an unprotected marker in the data, or a result
 * without a call.
 */
export interface SchemaIssue {
  /** Name of the tool; empty for a response schema. */
  readonly tool: string;
  /** JSON pointer of the keyword in the schema: `/properties/a/pattern`. */
  readonly pointer: string;
  readonly keyword: string;
  /**
   * `widened`: the grammar accepts values that the schema rejects, and nothing checks them. `checked`: the grammar
   * accepts values that the schema rejects, and `compileValidator` rejects them. Chats check values while they are
   * written; with another engine, validate after the call. `narrowed`: some valid values cannot be written. `noted`:
   * the keyword may not do what was intended, or a rare edge case, named in the reason, is not enforced; never an
   * error.
   */
  readonly effect: 'widened' | 'checked' | 'narrowed' | 'noted';
  /** Why, and what the grammar does instead. */
  readonly reason: string;
}

/** A schema cannot be enforced as requested. All issues are reported together. */
export class SchemaError extends /* @__PURE__ */ errorClass(
  'schema',
  ({ issues, source }: { readonly issues: readonly SchemaIssue[]; readonly source?: string }) =>
    `${source === undefined ? '' : `${source}: `}schema cannot be enforced: ${issues.map(issueText).join('; ')}`,
) {
  /** @param source Where the tools came from, for the message: a file. */
  constructor(issues: readonly SchemaIssue[], source?: string) {
    super(source === undefined ? { issues } : { issues, source });
  }
}

function issueText({ tool, pointer, keyword, reason }: SchemaIssue): string {
  const where = tool === '' ? 'response schema' : `tool ${quoted(tool)}`;
  return `${where}, ${pointer === '' ? '(root)' : pointer}, ${keyword}: ${reason}`;
}

interface ToolListFacts {
  /** The source of the list: a file, a module, the command of an MCP server. */
  readonly source: string;
  /** The tool concerned; `null` if the list itself is. */
  readonly tool: string | null;
  /** JSON pointer into the list: `/tools/2/inputSchema`. */
  readonly pointer: string;
  readonly reason: string;
}

/** A list of tools that cannot be read. */
export class ToolListError extends /* @__PURE__ */ errorClass(
  'tool-list',
  ({ source, tool, pointer, reason }: ToolListFacts) =>
    `${source}${tool === null ? '' : `, tool ${quoted(tool)}`}${pointer === '' ? '' : `, ${pointer}`}: ${reason}`,
) {
  constructor(facts: Thrown<Pick<ToolListFacts, 'source' | 'reason'> & Partial<ToolListFacts>>) {
    super({ tool: null, pointer: '', ...facts });
  }
}

/** A tool cannot be offered in this format, is listed twice, or is requested but not among the tools. */
export class ToolError extends /* @__PURE__ */ errorClass(
  'tool',
  (facts: { readonly tool: string; readonly reason: string }) =>
    `tool ${quoted(facts.tool)}: ${facts.reason}`,
) {}

/** An unknown or invalid option, or a combination that this format does not support. Thrown before the first token. */
export class UnsupportedOptionError extends /* @__PURE__ */ errorClass(
  'unsupported-option',
  ({ option, reason }: { readonly option: string; readonly reason: string }) =>
    reason.startsWith('must ') ? `${option} ${reason}` : `${option}: ${reason}`,
) {}

/** A grammar that an engine cannot build, or a text that is not GBNF. */
export class GrammarError extends /* @__PURE__ */ errorClass(
  'grammar',
  (facts: {
    readonly reason: string;
    /** Rule at fault, where known. */
    readonly rule?: string;
  }) => (facts.rule === undefined ? facts.reason : `rule ${facts.rule}: ${facts.reason}`),
) {}

/** A model file that cannot be read, or has no chat template. */
export class ModelFileError extends /* @__PURE__ */ errorClass(
  'model-file',
  (facts: { readonly file: string; readonly reason: string }) => aboutFile(facts.file, facts.reason),
) {}

/** The file of a saved state that cannot be written, is damaged, or belongs to another model or engine. */
export class StateFileError extends /* @__PURE__ */ errorClass(
  'state-file',
  (facts: { readonly file: string; readonly reason: string }) => aboutFile(facts.file, facts.reason),
) {}

interface ToolSupport {
  /** The file or model. */
  readonly model: string;
  /** The template that would be used: `default`, `tool_use`; `null` if there is none. */
  readonly template: string | null;
  /** The observed capabilities of that template; `null` if there is none. */
  readonly capabilities: Capabilities | null;
}

/** A model whose chat template cannot describe tools or cannot write calls, although tools are required. */
export class ToolsUnsupportedError extends /* @__PURE__ */ errorClass(
  'tools-unsupported',
  (facts: ToolSupport) =>
    `${facts.model} cannot call tools: ${missingSupport(facts)}; choose another model, or ${otherwise(facts)}`,
) {}

/** A model without a template cannot chat at all, so allowing it is no help. */
function otherwise({ capabilities }: ToolSupport): string {
  if (capabilities === null) return 'give it the template of a model like it: chatTemplate (--template)';
  return "allow it with requireTools: false (--no-require-tools); toolFormat: 'json-list' (--tool-format json-list) would describe them in the prompt";
}

function missingSupport(facts: ToolSupport): string {
  if (facts.template === null || facts.capabilities === null)
    return 'it has no chat template, as base models have none';
  const missing = [
    facts.capabilities.supportsTools ? [] : ['never reads the tools (supportsTools is false)'],
    facts.capabilities.supportsToolCalls ? [] : ['renders no tool calls (supportsToolCalls is false)'],
  ];
  return `its ${facts.template} template ${missing.flat().join(' and ')}`;
}

interface OverflowFacts {
  /** Tokens that the prompt and the first token after it need. */
  readonly needed: number;
  /** Tokens that the context holds. */
  readonly available: number;
  /** Whether `needed` is a lower bound, because the prompt is so long that its tokens were not counted. Default: false. */
  readonly atLeast: boolean;
}

/** A prompt does not fit into the model's context. */
export class ContextOverflowError extends /* @__PURE__ */ errorClass(
  'context-overflow',
  (facts: OverflowFacts) =>
    `${overflow(facts)}; ` +
    "shorten the conversation (contextOverflow: 'shift' drops its oldest turns in this process, but no last message), load the model with a larger contextSize, or start its server with a longer context",
) {
  constructor(facts: Thrown<Omit<OverflowFacts, 'atLeast'> & Partial<OverflowFacts>>) {
    super({ atLeast: false, ...facts });
  }
}

/** A model was used after its `dispose()`, or was still generating then. */
export class ModelDisposedError extends /* @__PURE__ */ errorClass(
  'model-disposed',
  (facts: { readonly model: string }) =>
    `${facts.model} was disposed of: call dispose() when its last chat is over, or load it again`,
) {}

/** node-llama-cpp does not run on this machine, usually because it has no build for it. */
export class EngineError extends /* @__PURE__ */ errorClass(
  'engine',
  (facts: {
    /** The reason, in node-llama-cpp's words. */
    readonly reason: string;
    /** The backend requested by name; `null` if none was. */
    readonly gpu: string | null;
  }) =>
    facts.gpu === null
      ? `node-llama-cpp does not run here (${facts.reason}): install it on this machine, with its optional packages, ` +
        'or compile it (npx node-llama-cpp source download)'
      : `node-llama-cpp does not run here with gpu: '${facts.gpu}' (${facts.reason}): leave out the option to use any ` +
        'available GPU, or set gpu: false',
) {}

interface ServerFacts {
  /** The requested address, without keys. */
  readonly url: string;
  /** The HTTP status of an error; `null` if there was no answer, or an unreadable one. */
  readonly status: number | null;
  /** The reason in the server's words, if any. */
  readonly reason: string;
  /** Whether a retry may succeed: the server is overloaded or starting, or the connection was lost. */
  readonly transient: boolean;
  /** Milliseconds to wait before a retry, according to the server (`Retry-After`); `null` if it does not say. */
  readonly retryAfterMs: number | null;
  /** What to do about it; `null` if only the server's words are known. */
  readonly advice: string | null;
}

/** Facts of a `ServerError` that have defaults. */
type Assumed = 'status' | 'transient' | 'retryAfterMs' | 'advice';

/** An inference server cannot be reached, rejects a request, or gives an unreadable answer. */
export class ServerError extends /* @__PURE__ */ errorClass(
  'server',
  ({ url, status, reason, advice }: ServerFacts) =>
    `${url}${status === null ? '' : ` (HTTP ${status})`}: ${reason}${advice === null ? '' : ` (${advice})`}`,
) {
  constructor(facts: Thrown<Omit<ServerFacts, Assumed> & Partial<Pick<ServerFacts, Assumed>>>) {
    super({ status: null, transient: false, retryAfterMs: null, advice: null, ...facts });
  }
}

/** An optional package that a command or an adapter needs is not installed. */
export class MissingPackageError extends /* @__PURE__ */ errorClass(
  'missing-package',
  ({ packageName, neededFor }: { readonly packageName: string; readonly neededFor: string }) =>
    `${neededFor} needs the package ${packageName}: npm install ${packageName}`,
) {}

/** Generation had to stop because the constraint could not be maintained; nothing was generated unconstrained. */
export class DecodingError extends /* @__PURE__ */ errorClass(
  'decoding',
  (facts: {
    readonly reason: string;
    /** The text generated until then. */
    readonly text: string;
  }) => facts.reason,
  ['text'],
) {}

/** A condition that no grammar can enforce still failed in the last attempt. Nothing invalid was emitted. */
export class CheckFailedError extends /* @__PURE__ */ errorClass(
  'check-failed',
  (facts: {
    /** Name of the tool; empty for a response schema. */
    readonly tool: string;
    /** What is wrong with the last value: keywords, and JSON pointers into the value. */
    readonly problems: readonly {
      readonly pointer: string;
      readonly keyword: string;
      readonly message: string;
    }[];
    /** How often text was discarded and resampled. */
    readonly tries: number;
    /** The text generated until then. */
    readonly text: string;
  }) =>
    `${facts.tool === '' ? 'response schema' : `tool ${quoted(facts.tool)}`}: no valid value after ${facts.tries} attempts ` +
    `(${failedKeywords(facts.problems)}); try again, or relax the schema`,
  // A message may quote the value, and a pointer go through names that the model made up.
  ['text', 'problems'],
) {}

/** What failed, in the schema's words. */
function failedKeywords(problems: readonly { readonly keyword: string }[]): string {
  const keywords = problems.map(({ keyword }) =>
    keyword === '~standard' ? "the schema's library" : keyword,
  );
  return [...new Set(keywords)].join(', ');
}

/** A regular expression of a response template that is invalid or too costly. */
export class PatternError extends /* @__PURE__ */ errorClass(
  'pattern',
  (facts: {
    readonly pattern: string;
    /** Index of the problem in `pattern`. */
    readonly position: number;
    readonly reason: string;
  }) => `pattern ${quoted(facts.pattern)}: ${facts.reason} at position ${facts.position}`,
) {}

/** An invalid response template. */
export class ResponseTemplateError extends /* @__PURE__ */ errorClass(
  'response-template',
  (facts: {
    /** JSON pointer of the offending key: `/fields/content/open`. */
    readonly pointer: string;
    readonly reason: string;
    /** The source of the template: a file. */
    readonly source?: string;
  }) =>
    `${facts.source ?? 'response template'}, ${facts.pointer === '' ? '(root)' : facts.pointer}: ${facts.reason}`,
) {}

/** Model output that a response template cannot convert to a value. */
export class ResponseFieldError extends /* @__PURE__ */ errorClass(
  'response-field',
  (facts: {
    /** The template's field; `null` if no field is concerned. */
    readonly field: string | null;
    readonly reason: string;
    /** The text of the region, as the model wrote it. */
    readonly raw: string;
  }) => (facts.field === null ? facts.reason : `field ${quoted(facts.field)}: ${facts.reason}`),
  ['raw'],
) {}

/** A response without the expected JSON answer: it was cut off, or the model called a tool instead. */
export class AnswerError extends /* @__PURE__ */ errorClass(
  'answer',
  (facts: {
    /** The response's text in place of the answer. */
    readonly text: string;
    readonly reason: string;
  }) => `answer: ${facts.reason}`,
  ['text'],
) {}

/** A message of a conversation is invalid. */
export class MessageError extends /* @__PURE__ */ errorClass(
  'message',
  (facts: {
    /** The path of the fault: `messages[1].tool_calls[0].function.name`. */
    readonly path: string;
    readonly reason: string;
  }) => `${facts.path}: ${facts.reason}`,
) {}

/** A response is iterated a second time; its events are not stored. */
export class ResponseReadError extends /* @__PURE__ */ errorClass(
  'response-read',
  () => 'this response is being read already: iterate before you await its message, and only once',
) {
  constructor() {
    super({});
  }
}

/** Something waits for an event that nothing in the program can cause any more, so that the process would exit. */
export class StalledError extends /* @__PURE__ */ errorClass(
  'stalled',
  ({
    waitsFor,
    because = 'nothing else is running in this process',
    advice,
  }: {
    /** What is missing. */
    readonly waitsFor: string;
    /** Why it will not come. Default: nothing else is running. */
    readonly because?: string;
    readonly advice: string;
  }) => `waits for ${waitsFor}, but ${because}: ${advice}`,
) {}

/** Text was fed to a parser after `finish()`. */
export class ResponseOverError extends /* @__PURE__ */ errorClass(
  'response-over',
  () => 'text was fed after finish(): call reset(), or create a new parser, for the next response',
) {
  constructor() {
    super({});
  }
}
