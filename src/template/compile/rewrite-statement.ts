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
import { SourceError, type SourcePlace } from './split-source.ts';
import {
  closeParen,
  closesBracket,
  identifier,
  isName,
  isWord,
  openParen,
  splitOutside,
  type Token,
} from './tokens.ts';

/** The names of rewritten statements. */
export const blockNames = {
  generation: 'a generation',
  with: 'a with',
  block: 'a block',
  scopedBlock: 'a scoped block',
  autoescape: 'an autoescape',
  recursive: 'a recursive loop',
} as const;

function call(name: string, args: readonly Token[]): Token[] {
  return args.length === 0 ? [identifier(name)] : [identifier(name), openParen, ...args, closeParen];
}

/** An open block: the name of its end, and how many statements it became. */
interface OpenBlock {
  readonly name: string;
  readonly count: number;
  /** The block's own name, which may come again at its end. */
  readonly label?: string | undefined;
}

/** Rewrites the statements of one template, in their order. */
export class StatementRewriter {
  private readonly open: OpenBlock[] = [];
  private readonly blocks = new Set<string>();

  /** The statements that take the place of one, without their brackets. Throws `SourceError` for a block without a name of its own, and for an end of another block. */
  rewrite(tokens: readonly Token[], place: SourcePlace): readonly (readonly Token[])[] {
    const [first, ...rest] = tokens;
    const word = first?.type === 'Identifier' ? first.value : '';
    switch (word) {
      case 'generation':
        return this.begin(word, [call(blockNames.generation, [])]);
      case 'with':
        return this.begin(word, [call(blockNames.with, rest)]);
      case 'autoescape':
        return this.begin(word, [call(blockNames.autoescape, rest)]);
      case 'block':
        return this.begin(word, [call(this.blockName(rest, place), [])], rest[0]?.value);
      case 'filter': {
        const chain = splitOutside(rest, ({ type }) => type === 'Pipe');
        const filters = chain.map((part) =>
          part.filter((token, index) => index > 0 || token.type !== 'Pipe'),
        );
        return this.begin(word, filters.reverse());
      }
      case 'for':
        return [isRecursive(rest) ? [identifier('for'), ...recursive(rest.slice(0, -1))] : tokens];
      case 'endgeneration':
      case 'endwith':
      case 'endautoescape':
      case 'endblock':
      case 'endfilter':
        return this.end(word.slice('end'.length), rest, place);
      default:
        return [tokens];
    }
  }

  private begin(
    name: string,
    filters: readonly (readonly Token[])[],
    label?: string,
  ): readonly (readonly Token[])[] {
    this.open.push({ name, count: filters.length, label });
    return filters.map((filter) => [identifier('filter'), ...filter]);
  }

  /** `{% block x %}` or `{% block x scoped %}`, of a name that no other block has. */
  private blockName([name, scoped, ...more]: readonly Token[], place: SourcePlace): string {
    const isPlain = scoped === undefined;
    if (!isName(name) || name === undefined || more.length > 0 || !(isPlain || isWord(scoped, 'scoped')))
      throw new SourceError('a block has a name, and may be scoped: {% block name scoped %}', place);
    if (this.blocks.has(name.value)) throw new SourceError(`block '${name.value}' is defined twice`, place);
    this.blocks.add(name.value);
    return isPlain ? blockNames.block : blockNames.scopedBlock;
  }

  private end(name: string, rest: readonly Token[], place: SourcePlace): readonly (readonly Token[])[] {
    const block = this.open.pop();
    if (block?.name !== name || rest.some(({ value }, index) => index > 0 || value !== block.label)) {
      const expected =
        block === undefined
          ? 'no block is open'
          : `end${[block.name, block.label].join(' ').trimEnd()} is expected`;
      throw new SourceError(`Unexpected end${name}: ${expected}`, place);
    }
    return Array.from({ length: block.count }, () => [identifier('endfilter')]);
  }
}

const literals = new Set(['StringLiteral', 'NumericLiteral']);

/** Whether `recursive` comes after the items of a loop; otherwise it is the name of a variable. */
function isRecursive(tokens: readonly Token[]): boolean {
  const before = tokens.at(-2);
  const endsItems = isName(before) || closesBracket(before) || literals.has(before?.type ?? '');
  return isWord(tokens.at(-1), 'recursive') && endsItems;
}

/** Marks what a loop goes through: `x in y if z` becomes `x in ⟨recursive⟩(y) if z`. */
function recursive(tokens: readonly Token[]): Token[] {
  const at = tokens.findIndex((token) => isWord(token, 'in'));
  const [items = [], ...conditions] = splitOutside(tokens.slice(at + 1), (token) => isWord(token, 'if'));
  return [...tokens.slice(0, at + 1), ...call(blockNames.recursive, items), ...conditions.flat()];
}
