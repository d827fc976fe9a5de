/** A file that a person gives, read into a template. Nothing of it leaves the page. */
import { readTokenizerConfig } from '../../../src/cli/tokenizer-config.ts';
import { ModelFileError } from '../../../src/format/errors.ts';
import { effectiveTemplate, readHeader } from '../../../src/hub/gguf/read-header.ts';
import type { TemplateInput } from './inspect-template.ts';

/** Longer files are no templates. */
const longestText = 16_000_000;

/** Reads a `.jinja` template, a `tokenizer_config.json`, or the header of a `.gguf` model. Throws `ModelFileError`. */
export async function readTemplateFile(file: File): Promise<TemplateInput> {
  if (/\.gguf$/i.test(file.name)) return readModel(file);
  if (file.size > longestText) {
    throw new ModelFileError({ file: file.name, reason: 'is too long for a template' });
  }
  return readTemplateText(file.name, await file.text());
}

/** A template, or a `tokenizer_config.json` that holds one. */
export function readTemplateText(name: string, text: string): TemplateInput {
  // No template contains a NUL, and nearly every binary file does.
  if (text.includes('\0')) {
    throw new ModelFileError({ file: name, reason: 'is not text, and no model (.gguf)' });
  }
  if (!/\.json$/i.test(name) && !/^\s*\{\s*"/.test(text)) return { name, templateSource: text };
  const found = readTokenizerConfig(parseJson(name, text));
  if (found !== null) return { name, ...found };
  throw new ModelFileError({ file: name, reason: 'holds no chat template (chat_template)' });
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ModelFileError({ file, reason: `is not JSON: ${String(error)}` });
  }
}

async function readModel(file: File): Promise<TemplateInput> {
  const { header } = await readHeader({
    name: file.name,
    firstRead: 8_000_000, // as of a file on a disk
    async read(start, end) {
      const part = await file.slice(start, end).arrayBuffer();
      return { bytes: new Uint8Array(part), size: file.size };
    },
  });
  const template = effectiveTemplate(header.templates);
  if (template === null) {
    const reason = 'holds no chat template (tokenizer.chat_template)';
    throw new ModelFileError({ file: file.name, reason });
  }
  const { specialTokens, addedTokens, endTokens } = header;
  const { bos, eos } = specialTokens;
  return {
    ...{ name: file.name, templateSource: template.source, addedTokens, endTokens },
    ...(bos === null ? {} : { bosToken: bos }),
    ...(eos === null ? {} : { eosToken: eos }),
  };
}
