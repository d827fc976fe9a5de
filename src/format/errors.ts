/**
 * The errors of Idiolect: one base class, one class per thing that a caller would do differently.
 * Each carries its facts as fields, and its message says what happened, where, and what to do.
 */
import type { Capabilities } from './chat-format.ts';

/** Base of every error thrown on purpose; `code` is stable and names the class for programs. */
export abstract class IdiolectError extends Error {
  abstract readonly code: string;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A chat template does not parse, raises, or asks for something that does not exist. */
export class TemplateError extends IdiolectError {
  readonly code = 'template';
  /** Where it happened: a file name, a model, or `template`. */
  readonly template: string;
  /** What went wrong, without the place. */
  readonly reason: string;
  /** `syntax`: it does not parse. `raised`: its own `raise_exception`. `runtime`: anything else. */
  readonly kind: 'syntax' | 'raised' | 'runtime';
  /** Line of the template's source, from 1, where it is known. */
  readonly line: number | undefined;
  constructor(facts: {
    template: string;
    reason: string;
    kind: TemplateError['kind'];
    line?: number;
    cause?: unknown;
  }) {
    const place = facts.line === undefined ? facts.template : `${facts.template}:${facts.line}`;
    super(`${place}: ${facts.reason}`, { cause: facts.cause });
    this.template = facts.template;
    this.line = facts.line;
    this.reason = facts.reason;
    this.kind = facts.kind;
  }
}

const limitUnits = {
  steps: 'steps',
  output: 'characters of output',
  depth: 'levels of nesting',
} as const;

/** A template used up its budget of steps, output or recursion: it is broken or hostile. */
export class TemplateLimitError extends IdiolectError {
  readonly code = 'template-limit';
  readonly template: string;
  readonly limit: 'steps' | 'output' | 'depth';
  readonly allowed: number;
  constructor(facts: { template: string; limit: TemplateLimitError['limit']; allowed: number }) {
    super(
      `${facts.template}: rendering needs more than ${facts.allowed} ${limitUnits[facts.limit]}; is this a chat template?`,
    );
    this.template = facts.template;
    this.limit = facts.limit;
    this.allowed = facts.allowed;
  }
}

/** What a template writes cannot be read as a chat format. */
export class AnalysisError extends IdiolectError {
  readonly code = 'analysis';
  readonly template: string;
  /** The probe that gave the answer that could not be used. */
  readonly probe: string;
  readonly reason: string;
  constructor(facts: { template: string; probe: string; reason: string }) {
    super(`${facts.template}: ${facts.reason} (probe ${facts.probe})`);
    this.template = facts.template;
    this.probe = facts.probe;
    this.reason = facts.reason;
  }
}

/** A keyword of a tool's schema that the grammar does not fully enforce. */
export interface SchemaIssue {
  /** Name of the tool; empty for a response schema. */
  readonly tool: string;
  /** JSON pointer of the keyword's place in the schema: `/properties/a/pattern`. */
  readonly pointer: string;
  readonly keyword: string;
  /**
   * `widened`: the grammar accepts values that the schema refuses (validate after the call).
   * `narrowed`: some valid values cannot be written.
   * `noted`: what the keyword does may not be what was meant, or a corner that the reason names is not
   * enforced, which hardly any response comes into. Never an error.
   */
  readonly effect: 'widened' | 'narrowed' | 'noted';
  /** Why, and what the grammar does instead. */
  readonly reason: string;
}

/** A schema cannot be enforced as asked. All issues are reported together. */
export class SchemaError extends IdiolectError {
  readonly code = 'schema';
  readonly issues: readonly SchemaIssue[];
  /** @param source Where the tools came from, for the message: a file. */
  constructor(issues: readonly SchemaIssue[], source?: string) {
    const lines = issues.map((issue) => {
      const where = issue.tool === '' ? 'response schema' : `tool ${JSON.stringify(issue.tool)}`;
      return `${where}, ${issue.pointer === '' ? '(root)' : issue.pointer}, ${issue.keyword}: ${issue.reason}`;
    });
    const place = source === undefined ? '' : `${source}: `;
    super(`${place}schema cannot be enforced: ${lines.join('; ')}`);
    this.issues = issues;
  }
}

/** A list of tools that cannot be read. */
export class ToolListError extends IdiolectError {
  readonly code = 'tool-list';
  /** Where the list came from: a file, a module, the command of an MCP server. */
  readonly source: string;
  /** The tool it is about; `null` when it is about the list. */
  readonly tool: string | null;
  /** JSON pointer into the list: `/tools/2/inputSchema`. */
  readonly pointer: string;
  readonly reason: string;
  constructor(facts: {
    source: string;
    tool?: string | null;
    pointer?: string;
    reason: string;
    cause?: unknown;
  }) {
    const { source, tool = null, pointer = '', reason } = facts;
    const place = [
      source,
      ...(tool === null ? [] : [`tool ${JSON.stringify(tool)}`]),
      ...(pointer === '' ? [] : [pointer]),
    ];
    super(`${place.join(', ')}: ${reason}`, { cause: facts.cause });
    this.source = source;
    this.tool = tool;
    this.pointer = pointer;
    this.reason = reason;
  }
}

/** A tool cannot be offered in this format, is named twice, or is asked for and not among the tools. */
export class ToolError extends IdiolectError {
  readonly code = 'tool';
  readonly tool: string;
  readonly reason: string;
  constructor(facts: { tool: string; reason: string }) {
    super(`tool ${JSON.stringify(facts.tool)}: ${facts.reason}`);
    this.tool = facts.tool;
    this.reason = facts.reason;
  }
}

/**
 * An option that does not exist, a value that it cannot have, or a combination that this format cannot do.
 * Thrown before the first token.
 */
export class UnsupportedOptionError extends IdiolectError {
  readonly code = 'unsupported-option';
  readonly option: string;
  readonly reason: string;
  constructor(facts: { option: string; reason: string }) {
    super(`${facts.option}: ${facts.reason}`);
    this.option = facts.option;
    this.reason = facts.reason;
  }
}

/** A grammar that an engine cannot build, or a text that is not GBNF. */
export class GrammarError extends IdiolectError {
  readonly code = 'grammar';
  readonly reason: string;
  /** Rule at fault, where known. */
  readonly rule: string | undefined;
  constructor(facts: { reason: string; rule?: string }) {
    super(facts.rule === undefined ? facts.reason : `rule ${facts.rule}: ${facts.reason}`);
    this.reason = facts.reason;
    this.rule = facts.rule;
  }
}

/** A model file that cannot be read, or holds no chat template. */
export class ModelFileError extends IdiolectError {
  readonly code = 'model-file';
  readonly file: string;
  readonly reason: string;
  constructor(facts: { file: string; reason: string; cause?: unknown }) {
    super(`${facts.file}: ${facts.reason}`, { cause: facts.cause });
    this.file = facts.file;
    this.reason = facts.reason;
  }
}

/** A model whose chat template cannot describe tools or cannot write calls, where tools are required. */
export class ToolsUnsupportedError extends IdiolectError {
  readonly code = 'tools-unsupported';
  /** The file or model. */
  readonly model: string;
  /** Which of its templates would be used: `default`, `tool_use`; `null` when it has none. */
  readonly template: string | null;
  /** What was observed of that template; `null` when the model has none. */
  readonly capabilities: Capabilities | null;
  constructor(facts: { model: string; template: string | null; capabilities: Capabilities | null }) {
    super(
      `${facts.model} cannot call tools: ${missingSupport(facts)}; choose another model, or allow it with requireTools: false (--no-require-tools)`,
    );
    this.model = facts.model;
    this.template = facts.template;
    this.capabilities = facts.capabilities;
  }
}

function missingSupport(facts: { template: string | null; capabilities: Capabilities | null }): string {
  if (facts.template === null || facts.capabilities === null) return 'it has no chat template';
  const missing = [
    facts.capabilities.supportsTools ? [] : ['never reads the tools (supportsTools is false)'],
    facts.capabilities.supportsToolCalls ? [] : ['renders no tool calls (supportsToolCalls is false)'],
  ];
  return `its ${facts.template} template ${missing.flat().join(' and ')}`;
}

/** A prompt does not fit into the model's context. */
export class ContextOverflowError extends IdiolectError {
  readonly code = 'context-overflow';
  /** Tokens that the prompt and the first token after it need. */
  readonly needed: number;
  /** Tokens that the context holds. */
  readonly available: number;
  constructor(facts: { needed: number; available: number }) {
    super(
      `the prompt needs ${facts.needed} tokens, ${facts.needed - facts.available} more than the context holds; ` +
        'shorten the conversation, load the model with a larger contextSize, or start its server with a longer context',
    );
    this.needed = facts.needed;
    this.available = facts.available;
  }
}

/** A model was asked for something after its `dispose()`, or was still answering then. */
export class ModelDisposedError extends IdiolectError {
  readonly code = 'model-disposed';
  readonly model: string;
  constructor(facts: { model: string }) {
    super(`${facts.model} was disposed of: call dispose() when its last chat is over, or load it again`);
    this.model = facts.model;
  }
}

/** node-llama-cpp does not run on this machine: mostly there is no build for it. */
export class EngineError extends IdiolectError {
  readonly code = 'engine';
  /** In node-llama-cpp's own words. */
  readonly reason: string;
  constructor(facts: { reason: string; cause?: unknown }) {
    super(
      `node-llama-cpp does not run here (${facts.reason}): install it on this machine, with its optional packages, ` +
        'or compile it (npx node-llama-cpp source download)',
      { cause: facts.cause },
    );
    this.reason = facts.reason;
  }
}

/** An inference server that cannot be reached, refuses a request, or answers what nobody can read. */
export class ServerError extends IdiolectError {
  readonly code = 'server';
  /** What was asked for; without keys. */
  readonly url: string;
  /** The HTTP status of a refusal; `null` where there was no answer, or one that cannot be read. */
  readonly status: number | null;
  /** In the server's own words, where it said any. */
  readonly reason: string;
  constructor(facts: { url: string; reason: string; status?: number; cause?: unknown }) {
    const status = facts.status === undefined ? '' : ` (HTTP ${facts.status})`;
    super(`${facts.url}${status}: ${facts.reason}`, { cause: facts.cause });
    this.url = facts.url;
    this.status = facts.status ?? null;
    this.reason = facts.reason;
  }
}

/** An optional package that a command or an adapter needs is not installed. */
export class MissingPackageError extends IdiolectError {
  readonly code = 'missing-package';
  readonly packageName: string;
  constructor(facts: { packageName: string; neededFor: string; cause?: unknown }) {
    super(`${facts.neededFor} needs the package ${facts.packageName}: npm install ${facts.packageName}`, {
      cause: facts.cause,
    });
    this.packageName = facts.packageName;
  }
}

/** Generation had to stop because what was promised could not be kept; nothing went on unconstrained. */
export class DecodingError extends IdiolectError {
  readonly code = 'decoding';
  readonly reason: string;
  /** What had been generated until then. */
  readonly text: string;
  constructor(facts: { reason: string; text: string; cause?: unknown }) {
    super(`${facts.reason} (after ${JSON.stringify(facts.text.slice(-80))})`, { cause: facts.cause });
    this.reason = facts.reason;
    this.text = facts.text;
  }
}

/** A regular expression of a response template that cannot be read or is too costly. */
export class PatternError extends IdiolectError {
  readonly code = 'pattern';
  readonly pattern: string;
  /** Index in `pattern` where the trouble is. */
  readonly position: number;
  readonly reason: string;
  constructor(facts: { pattern: string; position: number; reason: string }) {
    super(`pattern ${JSON.stringify(facts.pattern)}: ${facts.reason} at position ${facts.position}`);
    this.pattern = facts.pattern;
    this.position = facts.position;
    this.reason = facts.reason;
  }
}

/** A response template that is not valid. */
export class ResponseTemplateError extends IdiolectError {
  readonly code = 'response-template';
  /** JSON pointer of the offending key: `/fields/content/open`. */
  readonly pointer: string;
  readonly reason: string;
  /** @param facts `source`: where the template came from, for the message: a file. */
  constructor(facts: { pointer: string; reason: string; source?: string; cause?: unknown }) {
    const { source = 'response template', pointer, reason, cause } = facts;
    super(`${source}, ${pointer === '' ? '(root)' : pointer}: ${reason}`, { cause });
    this.pointer = pointer;
    this.reason = reason;
  }
}

/** Model output that a response template cannot make a value of. */
export class ResponseFieldError extends IdiolectError {
  readonly code = 'response-field';
  /** The template's field; `null` when it is not about one. */
  readonly field: string | null;
  readonly reason: string;
  /** The text of the region, as the model wrote it. */
  readonly raw: string;
  constructor(facts: { field: string | null; reason: string; raw: string; cause?: unknown }) {
    super(facts.field === null ? facts.reason : `field ${JSON.stringify(facts.field)}: ${facts.reason}`, {
      cause: facts.cause,
    });
    this.field = facts.field;
    this.reason = facts.reason;
    this.raw = facts.raw;
  }
}

/** A message of a conversation does not have the shape that it should have. */
export class MessageError extends IdiolectError {
  readonly code = 'message';
  /** Where: `messages[1].tool_calls[0].function.name`. */
  readonly path: string;
  readonly reason: string;
  constructor(facts: { path: string; reason: string }) {
    super(`${facts.path}: ${facts.reason}`);
    this.path = facts.path;
    this.reason = facts.reason;
  }
}

/** A response was iterated that is being read already: its events are not kept. */
export class ResponseReadError extends IdiolectError {
  readonly code = 'response-read';
  constructor() {
    super(
      'this response is being read already: begin to iterate before you await its message, and iterate once',
    );
  }
}

/** Text was fed to a parser after `finish()`. */
export class ResponseOverError extends IdiolectError {
  readonly code = 'response-over';
  constructor() {
    super('text was fed after finish(): call reset(), or make a parser, for the next response');
  }
}
