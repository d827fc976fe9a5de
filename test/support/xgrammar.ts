/** XGrammar, compiled to WebAssembly by its authors (`@mlc-ai/web-xgrammar`): the engine of vLLM and SGLang. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

interface XGrammarGrammar {
  dispose(): void;
}

/** A vocabulary. */
interface XGrammarTokenizer {
  dispose(): void;
}

/** Compiles for one vocabulary, as servers do. */
interface XGrammarCompiler {
  compileStructuralTag(tag: object): Promise<XGrammarGrammar>;
}

/** Follows one response. */
interface XGrammarMatcher {
  /** Whether the grammar allows `text` next; then it has been taken. */
  _acceptString(text: string): boolean;
  /** Which tokens may come next. */
  getNextTokenBitmask(): Promise<Int32Array>;
  dispose(): void;
}

/** What is used of it. */
export interface XGrammar {
  readonly Grammar: {
    fromJSONSchema(
      schema: string,
      anyWhitespace: boolean,
      indent: number | undefined,
      separators: readonly [string, string] | undefined,
      strictMode: boolean,
    ): Promise<XGrammarGrammar>;
    fromEBNF(text: string, rootRule: string): Promise<XGrammarGrammar>;
    fromStructuralTag(tag: object): Promise<XGrammarGrammar>;
  };
  readonly TokenizerInfo: {
    /** `texts` of the tokens by id, as their tokenizer spells them. */
    createTokenizerInfo(
      texts: readonly string[],
      type: 'raw' | 'byte_fallback' | 'byte_level',
      prependsSpace: boolean,
      size: number,
      stops: readonly number[],
    ): Promise<XGrammarTokenizer>;
  };
  readonly GrammarCompiler: {
    createGrammarCompiler(tokenizer: XGrammarTokenizer, caches: boolean): Promise<XGrammarCompiler>;
  };
  readonly GrammarMatcher: {
    createGrammarMatcher(compiled: XGrammarGrammar): Promise<XGrammarMatcher>;
  };
  readonly Testings: {
    isGrammarAcceptString(grammar: XGrammarGrammar, text: string): Promise<boolean>;
  };
}

/** The package says that it is a module, but is none. */
export function loadXGrammarPackage(): XGrammar {
  const require = createRequire(import.meta.url);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'xgrammar-'));
  const copy = path.join(folder, 'index.cjs');
  try {
    fs.copyFileSync(require.resolve('@mlc-ai/web-xgrammar'), copy);
    return require(copy);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Says which texts XGrammar accepts under a grammar in GBNF. Rejects for a grammar that it does not read. */
export async function xgrammarMatcher(gbnf: string): Promise<(text: string) => Promise<boolean>> {
  loaded ??= loadXGrammarPackage();
  const { Grammar, Testings } = loaded;
  const grammar = await Grammar.fromEBNF(gbnf, 'root');
  return (text) => Testings.isGrammarAcceptString(grammar, text);
}

/** Says which texts XGrammar accepts under a structural tag. Rejects for a tag that it does not read. */
export async function structuralTagMatcher(tag: object): Promise<(text: string) => Promise<boolean>> {
  loaded ??= loadXGrammarPackage();
  const { Grammar, Testings } = loaded;
  const grammar = await Grammar.fromStructuralTag(tag);
  return (text) => Testings.isGrammarAcceptString(grammar, text);
}

let loaded: XGrammar | undefined;
