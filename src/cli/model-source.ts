/** Reads the chat template that an argument names: a template file, a model file or a model on the Hub. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../format/error-class.ts';
import { ModelFileError } from '../format/errors.ts';
import { isObject } from '../format/json-values.ts';
import type { JsonValue } from '../format/messages.ts';
import type { NamedTemplate } from '../generate/named-template.ts';
import {
  effectiveTemplate,
  type GgufHeader,
  inspectModel,
  looksLikeReference,
  readGgufHeader,
} from '../hub/index.ts';
import { folderReason, localPath, missingReason } from '../hub/local-file.ts';
import { wrapTemplate } from '../template/tool-format/wrap-template.ts';
import { readTextFile } from './read-text.ts';
import { type ResponseReader, readerOfConfig } from './response-template-evidence.ts';
import { readEndTokens, readTokenizerConfig } from './tokenizer-config.ts';
import { readToolFormat, toolFormatName } from './tool-format.ts';

/** A chat template from a file, a model file or the Hub. */
export interface ModelSource extends NamedTemplate {
  /** How the model's tokenizer config says that responses are read, if it does. */
  readonly responseReader?: ResponseReader;
}

/**
 * Reads a `.jinja` template, a `tokenizer_config.json`, a `.gguf` model, or the header of a model on the Hub
 * (`owner/name`), without downloading it. Of two templates it is the one for tools, unless a tool format is given: that
 * is put around the other one. Throws `ModelFileError`, `UnsupportedOptionError` for an unknown tool format, and the
 * errors of the Hub.
 */
export async function readModelSource(given: string, toolFormat?: string): Promise<ModelSource> {
  if (toolFormat === undefined) return readTemplate(given, 'tool_use');
  const format = await readToolFormat(toolFormat);
  const { name, origin, ...plain } = await readTemplate(given, 'default');
  const called = toolFormatName(toolFormat);
  return {
    ...plain,
    name: folderName(`${name}-${called}`),
    origin: `${origin} (tool format ${called})`,
    templateSource: wrapTemplate(plain.templateSource, format, origin),
  };
}

/** Which of two templates. */
type TemplateName = 'default' | 'tool_use';

async function readTemplate(given: string, wanted: TemplateName): Promise<ModelSource> {
  const file = localPath(given);
  if (looksLikeReference(file) && !(await exists(file))) return readHubSource(file, wanted);
  const name = folderName(path.basename(file));
  if (!/\.gguf$/i.test(file)) {
    const text = await readText(file);
    return /\.json$/i.test(file)
      ? readConfig(name, file, text, wanted)
      : { name, origin: file, templateSource: text };
  }
  await requireFile(file);
  return sourceOf(name, file, await readGgufHeader(file), wanted);
}

async function readHubSource(reference: string, wanted: TemplateName): Promise<ModelSource> {
  const { header, model } = await inspectModel(reference);
  return sourceOf(folderName(path.basename(model)), reference, header, wanted);
}

function sourceOf(name: string, file: string, header: GgufHeader, wanted: TemplateName): ModelSource {
  const { templates } = header;
  const plain =
    wanted === 'default' && templates.default !== null ? { ...templates, toolUse: null } : templates;
  const template = effectiveTemplate(plain);
  if (template === null) {
    throw new ModelFileError({
      file,
      reason: 'holds no chat template (tokenizer.chat_template); give a .jinja file instead',
    });
  }
  return {
    name,
    origin: template.name === 'default' ? file : `${file} (template ${template.name})`,
    templateSource: template.source,
    ...tokensOf(header),
  };
}

/** What a template needs to know of a model's tokens. */
export function tokensOf({
  specialTokens: { bos, eos },
  addedTokens,
  endTokens,
}: GgufHeader): Pick<ModelSource, 'bosToken' | 'eosToken' | 'facts'> {
  return {
    ...(bos === null ? {} : { bosToken: bos }),
    ...(eos === null ? {} : { eosToken: eos }),
    facts: { addedTokens, endTokens },
  };
}

/** A `tokenizer_config.json`: its chat template and tokens, and the ends in the `generation_config.json` next to it. */
async function readConfig(
  name: string,
  file: string,
  text: string,
  wanted: TemplateName,
): Promise<ModelSource> {
  const config = await withTemplateFile(file, parseJson(file, text));
  const found = readTokenizerConfig(config, wanted);
  if (found !== null) {
    const generation = path.join(path.dirname(file), 'generation_config.json');
    const told = (await exists(generation)) ? parseJson(generation, await readText(generation)) : null;
    const { addedTokens = [], ...template } = found;
    const facts = { addedTokens, endTokens: readEndTokens(told, config) };
    const responseReader = readerOfConfig(config);
    return {
      name,
      origin: file,
      ...template,
      facts,
      ...(responseReader === null ? {} : { responseReader }),
    };
  }
  const reason =
    'holds no chat template (chat_template), and no chat_template.jinja lies next to it; give a .jinja file or a model instead';
  throw new ModelFileError({ file, reason });
}

/** Newer models have their template in a file of its own. */
async function withTemplateFile(file: string, config: JsonValue): Promise<JsonValue> {
  const template = path.join(path.dirname(file), 'chat_template.jinja');
  if (!isObject(config) || 'chat_template' in config || !(await exists(template))) return config;
  return { ...config, chat_template: await readText(template) };
}

function parseJson(file: string, text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ModelFileError({ file, reason: 'is not JSON', cause });
  }
}

/** Longer names leave no room for suffixes while a folder is written. */
const maxNameLength = 100;
/** Device names on Windows, and the suffix of folders that are being written. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\.new-/i;

/**
 * Letters, digits, dots and dashes, in lower case: `Qwen-Qwen3-0.6B.jinja` becomes `qwen-qwen3-0.6b`. Names that are
 * invalid or special on some file system are changed.
 */
export function folderName(fileName: string): string {
  const stem = fileName.replace(/\.(jinja2?|j2|gguf|json)$/i, '');
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replaceAll('.new-', '-new-')
    .slice(0, maxNameLength)
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  if (name === '') return 'model';
  return isFolderName(name) ? name : `model-${name}`;
}

/** Whether a name is valid for a folder on every file system. */
export function isFolderName(name: string): boolean {
  return (
    /^\w[\w.-]*$/.test(name) && name.length <= maxNameLength && !name.endsWith('.') && !reserved.test(name)
  );
}

async function readText(file: string): Promise<string> {
  const text = await readTextFile(file).catch((cause: unknown) => {
    throw cannotRead(file, cause);
  });
  if (text.trim() === '') throw new ModelFileError({ file, reason: 'is empty' });
  // No template contains a NUL, and nearly every binary file does.
  if (!text.includes('\0')) return text;
  const reason = 'is not text; give a chat template (.jinja, tokenizer_config.json) or a model (.gguf)';
  throw new ModelFileError({ file, reason });
}

async function requireFile(file: string): Promise<void> {
  try {
    await fs.access(file);
  } catch (cause) {
    throw cannotRead(file, cause);
  }
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}

function cannotRead(file: string, cause: unknown): ModelFileError {
  return new ModelFileError({ file, reason: unreadable(file, codeOf(cause) ?? 'unknown error'), cause });
}

function unreadable(file: string, code: string): string {
  if (code === 'ENOENT') return missingReason(file);
  return code === 'EISDIR' ? folderReason : `cannot be read (${code})`;
}
