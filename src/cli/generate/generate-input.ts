/** Reads the arguments of `idiolect generate`, recognised by their content. */

import path from 'node:path';
import { ResponseTemplateError } from '../../format/errors.ts';
import { isObject } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { loadResponseTemplate, type ResponseTemplate } from '../../response-template/index.ts';
import { folderName, type ModelSource, readModelSource } from '../model-source.ts';
import { readTextFile } from '../read-text.ts';

/** A chat template or a response template. `name` is a legal folder name. */
export type GenerateInput =
  | { readonly kind: 'chat-template'; readonly name: string; readonly source: ModelSource }
  | { readonly kind: 'response-template'; readonly name: string; readonly template: ResponseTemplate };

/**
 * Reads a file or a model on the Hub. JSON with `fields`, or with `response_template` and no chat template, is a
 * response template; a chat template is wrapped in the tool format, if one is given. Throws `ResponseTemplateError` and the errors of `readModelSource`.
 */
export async function readGenerateInput(file: string, toolFormat?: string): Promise<GenerateInput> {
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
