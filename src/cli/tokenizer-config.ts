/** Reads the chat template of a `tokenizer_config.json`. Also runs in a browser. */

/** A chat template with the special tokens of its file. */
interface TemplateOfModel {
  readonly templateSource: string;
  readonly bosToken?: string;
  readonly eosToken?: string;
  /** Texts of the tokens that were added to the vocabulary. */
  readonly addedTokens?: readonly string[];
}

/**
 * The chat template of a parsed `tokenizer_config.json` (of several the wanted one, or else the other) and its tokens;
 * `null` if there is none.
 */
export function readTokenizerConfig(
  json: unknown,
  wanted: 'default' | 'tool_use' = 'tool_use',
): TemplateOfModel | null {
  const config = new Map<string, unknown>(Object.entries(json ?? {}));
  const templateSource = chosenTemplate(config.get('chat_template'), wanted);
  if (templateSource === null) return null;
  const [bosToken, eosToken] = [tokenText(config.get('bos_token')), tokenText(config.get('eos_token'))];
  return {
    templateSource,
    ...(bosToken === null ? {} : { bosToken }),
    ...(eosToken === null ? {} : { eosToken }),
    ...withAddedTokens(config.get('added_tokens_decoder')),
  };
}

/** `added_tokens_decoder`: tokens by their id. */
function withAddedTokens(decoder: unknown): Pick<TemplateOfModel, 'addedTokens'> {
  if (typeof decoder !== 'object' || decoder === null) return {};
  const texts = Object.values(decoder).map(tokenText);
  return { addedTokens: texts.filter((text) => text !== null && text !== '').map(String) };
}

/** The texts of the tokens at which a parsed `generation_config.json` ends, by the ids of a `tokenizer_config.json`. */
export function readEndTokens(generation: unknown, tokenizer: unknown): readonly string[] {
  const ids = new Map<string, unknown>(Object.entries(generation ?? {})).get('eos_token_id');
  const decoder = new Map<string, unknown>(Object.entries(tokenizer ?? {})).get('added_tokens_decoder');
  const byId = new Map<string, unknown>(Object.entries(decoder ?? {}));
  return [ids].flat().flatMap((id) => tokenText(byId.get(String(id))) ?? []);
}

function chosenTemplate(value: unknown, wanted: string): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const named = new Map<unknown, unknown>(value.map((item) => [item?.name, item?.template]));
  const template = named.get(wanted) ?? named.get('tool_use') ?? named.get('default');
  return typeof template === 'string' ? template : null;
}

/** Tokens are strings, or objects with the text in `content`. */
function tokenText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('content' in value)) return null;
  return typeof value.content === 'string' ? value.content : null;
}
