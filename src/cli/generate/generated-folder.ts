/** Generates the files of one folder from the given file or model. */
import path from 'node:path';
import {
  ResponseTemplateError,
  SchemaError,
  type SchemaIssue,
  ToolError,
  ToolListError,
  UnsupportedOptionError,
} from '../../format/errors.ts';
import { isObject } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { ImportExtension } from '../../generate/emit-module.ts';
import { emitTools } from '../../generate/emit-tools.ts';
import { type GeneratedModel, generateModel } from '../../generate/generate-model.ts';
import { emitResponseTemplate } from '../../response-template/from-format/emit-response-template.ts';
import {
  type MadeResponseTemplate,
  toResponseTemplate,
} from '../../response-template/from-format/to-response-template.ts';
import { loadResponseTemplate, type ResponseTemplate } from '../../response-template/index.ts';
import { folderName, type ModelSource, readModelSource } from '../model-source.ts';
import { readTextFile } from '../read-text.ts';
import type { NamedTools } from './tool-source.ts';
import { printToolTypes } from './tool-types.ts';

/** What to generate in addition to the module. */
export interface MakeOptions {
  /** Name of the folder; `null`: derived from the file's name. */
  readonly name: string | null;
  readonly force: boolean;
  readonly tools: NamedTools | null;
  readonly policy: 'strict' | 'degrade';
  readonly responseTemplate: boolean;
  readonly toolFormat: string | undefined;
  readonly importExtension: ImportExtension;
}

/** One folder, as texts. */
export type GeneratedFolder = ModelFolder | ResponseTemplateFolder;

interface Folder {
  readonly name: string;
  /** The source file or model, for people. */
  readonly origin: string;
  readonly files: ReadonlyMap<string, string>;
}

/** A folder generated from a chat template. */
export interface ModelFolder extends Folder {
  readonly kind: 'model';
  readonly model: GeneratedModel;
  /** What the tools' grammars do not fully enforce. */
  readonly report: readonly SchemaIssue[];
  /** `null` if none was requested. */
  readonly responseTemplate: MadeResponseTemplate | null;
}

/** A folder generated from a response template: the template and its module. */
interface ResponseTemplateFolder extends Folder {
  readonly kind: 'response-template';
}

/** Generates everything; writes nothing. Throws the typed errors of each part, with the file in the message. */
export async function generateFolder(file: string, options: MakeOptions): Promise<GeneratedFolder> {
  const input = await readGenerateInput(file, options.toolFormat);
  const name = options.name ?? input.name;
  if (input.kind === 'response-template') {
    refuseExtras(file, options);
    const files = new Map([
      ['index.ts', emitResponseTemplate(input.template)],
      ['response-template.json', `${JSON.stringify(input.template, null, 2)}\n`],
    ]);
    return { kind: 'response-template', name, origin: file, files };
  }
  const model = generateModel({
    ...input.source,
    name,
    force: options.force,
    importExtension: options.importExtension,
  });
  const { format } = model.analysis;
  const made = options.responseTemplate ? toResponseTemplate(format) : null;
  const tools = await toolFiles(model, input.source.origin, options);
  const files = new Map([...model.files, ...tools.files]);
  if (made !== null && made.template !== null) {
    files.set('response-template.json', `${JSON.stringify(made.template, null, 2)}\n`);
  }
  const report = tools.report;
  return { kind: 'model', name, origin: file, files, model, report, responseTemplate: made };
}

/** A response template does not describe how to write, so it has no grammar. */
function refuseExtras(file: string, { tools, responseTemplate, toolFormat }: MakeOptions): void {
  const extras = {
    '--tools': tools !== null,
    '--response-template': responseTemplate,
    '--tool-format': toolFormat !== undefined,
  };
  const option = Object.entries(extras).find(([, given]) => given)?.[0];
  if (option === undefined) return;
  throw new UnsupportedOptionError({
    option,
    reason: `${file} is a response template; this needs a chat template or a model`,
  });
}

async function toolFiles(
  { analysis }: GeneratedModel,
  origin: string,
  { tools, policy, importExtension }: MakeOptions,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly report: readonly SchemaIssue[] }> {
  if (tools === null) return { files: new Map(), report: [] };
  const types = await printToolTypes(tools.tools, tools.source);
  try {
    return emitTools(analysis.format, tools.tools, types, policy, importExtension);
  } catch (error) {
    throw located(error, tools.source, origin);
  }
}

/** The error with the location that a user can change. */
function located(error: unknown, source: string, origin: string): unknown {
  if (error instanceof SchemaError) return new SchemaError(error.issues, `${source} for ${origin}`);
  if (error instanceof ToolError) {
    return new ToolListError({
      source,
      tool: error.tool,
      reason: `${origin}: ${error.reason}`,
      cause: error,
    });
  }
  if (error instanceof UnsupportedOptionError) {
    return new UnsupportedOptionError({ option: '--tools', reason: `${origin}: ${error.reason}` });
  }
  return error;
}

/** A chat template or a response template. `name` is a legal folder name. */
type GenerateInput =
  | { readonly kind: 'chat-template'; readonly name: string; readonly source: ModelSource }
  | { readonly kind: 'response-template'; readonly name: string; readonly template: ResponseTemplate };

/**
 * Reads a file or a model on the Hub. JSON with `fields`, or with `response_template` and no chat template, is a
 * response template; a chat template is wrapped in the tool format, if one is given. Throws `ResponseTemplateError` and the errors of `readModelSource`.
 */
async function readGenerateInput(file: string, toolFormat?: string): Promise<GenerateInput> {
  const template = await readResponseTemplate(file);
  if (template !== null) {
    return { kind: 'response-template', name: folderName(path.basename(file)), template };
  }
  const source = await readModelSource(file, toolFormat);
  return { kind: 'chat-template', name: source.name, source };
}

async function readResponseTemplate(file: string): Promise<ResponseTemplate | null> {
  if (!/\.json$/i.test(file)) return null;
  const content = await readObject(file);
  if (content === null || 'chat_template' in content) return null;
  const template = 'fields' in content ? content : content.response_template;
  if (template === undefined) return null;
  checkTemplate(template, file);
  return template;
}

/** Throws for the first invalid key. */
function checkTemplate(template: JsonValue, file: string): asserts template is JsonObject & ResponseTemplate {
  try {
    loadResponseTemplate(template);
  } catch (cause) {
    if (!(cause instanceof ResponseTemplateError)) throw cause;
    throw new ResponseTemplateError({ source: file, pointer: cause.pointer, reason: cause.reason, cause });
  }
}

/** `null` if it cannot be read or is something else; the next reader reports that. */
async function readObject(file: string): Promise<JsonObject | null> {
  try {
    const value: JsonValue = JSON.parse(await readTextFile(file));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
