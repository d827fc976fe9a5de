/**
 * Statements of Jinja that the parser of `@huggingface/jinja` does not have, as statements that it has:
 *
 *     {% generation %}             {% filter ⟨generation⟩ %}
 *     {% with a=1 %}               {% filter ⟨with⟩(a=1) %}
 *     {% block x %}                {% filter ⟨block⟩ %}
 *     {% autoescape false %}       {% filter ⟨autoescape⟩(false) %}
 *     {% filter upper|trim %}      {% filter trim %}{% filter upper %}
 *     {% for x in y recursive %}   {% for x in ⟨recursive⟩(y) %}
 *
 * Names in ⟨⟩ hold a space, so that no template can write them.
 */
import type { tokenize } from '@huggingface/jinja';
import { SourceError } from './split-source.ts';

/** A token of the package, which does not export the type. */
export type Token = ReturnType<typeof tokenize>[number];

/** The names of rewritten statements. */
export const blockNames = {
  generation: 'a generation',
  with: 'a with',
  block: 'a block',
  scopedBlock: 'a scoped block',
  autoescape: 'an autoescape',
  recursive: 'a recursive loop',
} as const;

const identifier = (value: string): Token => ({ value, type: 'Identifier' });
const openParen: Token = { value: '(', type: 'OpenParen' };
const closeParen: Token = { value: ')', type: 'CloseParen' };

function isWord(token: Token | undefined, word: string): boolean {
  return token?.type === 'Identifier' && token.value === word;
}

const opening = new Set(['OpenParen', 'OpenSquareBracket', 'OpenCurlyBracket']);
const closing = new Set(['CloseParen', 'CloseSquareBracket', 'CloseCurlyBracket']);

function call(name: string, args: readonly Token[]): Token[] {
  return args.length === 0 ? [identifier(name)] : [identifier(name), openParen, ...args, closeParen];
}

/** Splits tokens wherever `splits` holds outside of brackets; the token itself begins the next part. */
function splitOutside(tokens: readonly Token[], splits: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (closing.has(token.type)) depth -= 1;
    if (depth === 0 && splits(token)) parts.push([]);
    if (opening.has(token.type)) depth += 1;
    parts.at(-1)?.push(token);
  }
  return parts;
}

/** An open block: the name of its end, and how many statements it became. */
interface OpenBlock {
  readonly name: string;
  readonly count: number;
}

/** Rewrites the statements of one template, in their order. */
export class StatementRewriter {
  private readonly open: OpenBlock[] = [];

  /** The statements that take the place of one, without their brackets. Throws `SourceError` for an end of another block. */
  rewrite(tokens: readonly Token[], line: number): readonly (readonly Token[])[] {
    const [first, ...rest] = tokens;
    const word = first?.type === 'Identifier' ? first.value : '';
    switch (word) {
      case 'generation':
        return this.begin(word, [call(blockNames.generation, [])]);
      case 'with':
        return this.begin(word, [call(blockNames.with, rest)]);
      case 'autoescape':
        return this.begin(word, [call(blockNames.autoescape, rest)]);
      case 'block': {
        const isScoped = rest.slice(1).some((token) => isWord(token, 'scoped'));
        return this.begin(word, [call(isScoped ? blockNames.scopedBlock : blockNames.block, [])]);
      }
      case 'filter': {
        const chain = splitOutside(rest, ({ type }) => type === 'Pipe');
        const filters = chain.map((part) =>
          part.filter((token, index) => index > 0 || token.type !== 'Pipe'),
        );
        return this.begin(word, filters.reverse());
      }
      case 'for':
        return [
          isWord(rest.at(-1), 'recursive') ? [identifier('for'), ...recursive(rest.slice(0, -1))] : tokens,
        ];
      case 'endgeneration':
      case 'endwith':
      case 'endautoescape':
      case 'endblock':
      case 'endfilter':
        return this.end(word.slice('end'.length), line);
      default:
        return [tokens];
    }
  }

  private begin(name: string, filters: readonly (readonly Token[])[]): readonly (readonly Token[])[] {
    this.open.push({ name, count: filters.length });
    return filters.map((filter) => [identifier('filter'), ...filter]);
  }

  private end(name: string, line: number): readonly (readonly Token[])[] {
    const block = this.open.pop();
    if (block?.name !== name) {
      const expected = block === undefined ? 'no block is open' : `end${block.name} is expected`;
      throw new SourceError(`Unexpected end${name}: ${expected}`, line);
    }
    return Array.from({ length: block.count }, () => [identifier('endfilter')]);
  }
}

/** Marks what a loop goes through: `x in y if z` becomes `x in ⟨recursive⟩(y) if z`. */
function recursive(tokens: readonly Token[]): Token[] {
  const at = tokens.findIndex((token) => isWord(token, 'in'));
  const [items = [], ...conditions] = splitOutside(tokens.slice(at + 1), (token) => isWord(token, 'if'));
  return [...tokens.slice(0, at + 1), ...call(blockNames.recursive, items), ...conditions.flat()];
}
