/** Parses references to models on the Hub. */
import { ModelReferenceError } from './errors.ts';

/** A model on the Hub, and which of its files. */
export interface ModelReference {
  /** `owner/name`. */
  readonly model: string;
  /** Branch, tag or commit; `null` for the latest. */
  readonly revision: string | null;
  /** Quantisation or part of a file's name: `Q5_K_M`. */
  readonly quantization: string | null;
  /** A file's path in the repository. */
  readonly file: string | null;
}

const idPattern = /^[A-Za-z0-9][\w.-]{0,95}\/[\w.-]{1,96}$/;
/** Prefixes in other tools. */
const prefixPattern = /^(?:hf:|(?:https?:\/\/)?(?:hf\.co|huggingface\.co)\/)/i;
/** Letters, digits and `. _ / -`: what git accepts in practice and is safe in a path. */
const revisionPattern = /^[\w][\w./-]{0,255}$/;

/**
 * Parses `owner/name`, with optional `@revision` and `:quantisation`, in the spellings `hf:…`, `hf.co/…` and as an
 * address of the Hub's web site. Throws `ModelReferenceError`.
 */
export function parseModelReference(text: string): ModelReference {
  if (typeof text !== 'string') {
    throw new ModelReferenceError({ reference: typeof text, reason: 'a model is called owner/name' });
  }
  const page = readWebAddress(text);
  if (page !== null) return page;
  const match = /^([^@:]*)(?:@([^:]*))?(?::(.*))?$/.exec(text.replace(prefixPattern, ''));
  const [, model = '', revision = null, quantization = null] = match ?? [];
  checkId(text, model);
  checkRevision(text, revision);
  if (quantization !== null && !/^[\w.-]{1,64}$/.test(quantization)) {
    throw new ModelReferenceError({
      reference: text,
      reason: 'what follows the colon is not a quantisation',
    });
  }
  return { model, revision, quantization, file: null };
}

/** Whether the text can only be a model on the Hub: `owner/name` without a file extension. */
export function looksLikeReference(text: string): boolean {
  if (typeof text !== 'string') return false;
  if (prefixPattern.test(text)) return true;
  const [id = ''] = text.split(/[@:]/, 1);
  return idPattern.test(id) && !/\.(?:gguf|jinja2?|j2|json)$/i.test(id);
}

/** `https://huggingface.co/owner/name/blob/main/file.gguf`, or `null` for other text. */
function readWebAddress(text: string): ModelReference | null {
  const match = /^([^/]+\/[^/]+)\/(?:blob|resolve)\/([^/]+)\/([^?#]+)/.exec(text.replace(prefixPattern, ''));
  if (match === null || !prefixPattern.test(text)) return null;
  const [, model = '', revision = '', file = ''] = match;
  checkId(text, model);
  checkRevision(text, revision);
  return { model, revision, quantization: null, file };
}

function checkId(reference: string, model: string): void {
  if (idPattern.test(model) && !/\.\.|--|\.git$/.test(model)) return;
  throw new ModelReferenceError({ reference, reason: 'a model is called owner/name' });
}

function checkRevision(reference: string, revision: string | null): void {
  if (revision === null) return;
  if (revisionPattern.test(revision) && !/\.\.|\/\/|\/$|\.lock$/.test(revision)) return;
  throw new ModelReferenceError({ reference, reason: 'what follows the @ is not a revision' });
}
