/** What a person names on the command line (a template or a model file), read into a chat template. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { ModelFileError } from '../errors.ts';
import { effectiveTemplate, readGgufHeader } from '../hub/gguf-header.ts';

/** A chat template and where it came from. */
export interface ModelSource {
  /** A legal folder name made from the file's name: `qwen-qwen3-0.6b`. */
  readonly name: string;
  /** Shown to people and put into errors: the file, and which of its templates. */
  readonly origin: string;
  readonly templateSource: string;
  /** Special tokens that a model file names; a template alone names none. */
  readonly bosToken?: string;
  readonly eosToken?: string;
}

/** Reads a `.jinja` template or a `.gguf` model. Throws `ModelFileError`. */
export async function readModelSource(file: string): Promise<ModelSource> {
  const name = folderName(path.basename(file));
  if (!/\.gguf$/i.test(file)) return { name, origin: file, templateSource: await readText(file) };
  const { templates, specialTokens } = await readGgufHeader(await existing(file));
  const template = effectiveTemplate(templates);
  if (template === null) {
    throw new ModelFileError({
      file,
      reason: 'holds no chat template (tokenizer.chat_template); give a .jinja file instead',
    });
  }
  const origin = template.name === 'default' ? file : `${file} (template ${template.name})`;
  const { bos, eos } = specialTokens;
  return {
    name,
    origin,
    templateSource: template.source,
    ...(bos === null ? {} : { bosToken: bos }),
    ...(eos === null ? {} : { eosToken: eos }),
  };
}

/** Letters, digits, dots and dashes, in lower case: `Qwen-Qwen3-0.6B.jinja` becomes `qwen-qwen3-0.6b`. */
export function folderName(fileName: string): string {
  const stem = fileName.replace(/\.(jinja2?|j2|gguf)$/i, '');
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return name === '' ? 'model' : name;
}

async function readText(file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (cause) {
    throw cannotRead(file, cause);
  }
}

async function existing(file: string): Promise<string> {
  try {
    await fs.access(file);
    return file;
  } catch (cause) {
    throw cannotRead(file, cause);
  }
}

function cannotRead(file: string, cause: unknown): ModelFileError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const reason = code === 'ENOENT' ? 'no such file' : `cannot be read (${code})`;
  return new ModelFileError({ file, reason, cause });
}
