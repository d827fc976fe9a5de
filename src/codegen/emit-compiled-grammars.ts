/** Writes the compiled grammars of one set of tools, so that no request with them waits for the compiler. */
import { sha256 } from '../analysis/sha256.ts';
import type { ChatFormat } from '../chat-format.ts';
import { buildGrammarWith, compileResponse } from '../grammar/build-grammar.ts';
import { packGrammar, requestText } from '../grammar/compiled-grammar.ts';
import type { Tool } from '../messages.ts';
import type { CompiledGrammar } from '../runtime/compiled-grammars.ts';
import { type Printable, printValue } from './source-writer.ts';

/**
 * The grammars of `auto` and `required` for every state in which the template's own prompts leave a turn:
 * thinking asked for, declined, or neither. Throws what `buildGrammar` throws.
 */
export function compileAhead(
  format: ChatFormat,
  tools: readonly Tool[],
  policy: 'strict' | 'degrade',
): readonly CompiledGrammar[] {
  // By their content: some states of the prompt lead to the same grammar.
  const made = new Map<string, CompiledGrammar>();
  const { start, prompt } = format.turn;
  for (const toolChoice of ['auto', 'required'] as const) {
    for (const opened of new Set([prompt.unset, prompt.on, prompt.off])) {
      const options = { tools, toolChoice, policy, generationPrompt: start + opened };
      buildGrammarWith(
        (given, request) => {
          const response = compileResponse(given, request);
          const digest = sha256(requestText(given, request));
          const table = packGrammar(format.templateSha256, [], response);
          const content = JSON.stringify(table);
          const { requests } = made.get(content) ?? table;
          made.set(content, { ...table, requests: [...new Set([...requests, digest])] });
          return response;
        },
        format,
        options,
      );
    }
  }
  return [...made.values()];
}

/** The source of the module that holds them; `banner` is its first comment. */
export function emitCompiledGrammars(banner: string, grammars: readonly CompiledGrammar[]): string {
  const list: Printable = JSON.parse(JSON.stringify(grammars));
  const start = 'rememberGrammars(';
  return `${banner}
//
// The grammars of tools.auto.gbnf and tools.required.gbnf, compiled: a request with exactly these tools
// does not wait for the compiler. Whatever differs (tools, format, version) is compiled anew.
import { rememberGrammars } from 'idiolect/runtime';

${start}${printValue(list, 0, start.length, 2)});
`;
}
