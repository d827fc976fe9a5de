/** Runs the source text of a generated module, as TypeScript compiles it. */
import ts from 'typescript';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { emitModule } from '../../src/generate/emit-module.ts';
import * as runtime from '../../src/parser/index.ts';
import type { ResponseModule } from '../../src/parser/module-contract.ts';

/** The module generated for a format, its text changed by `checkout`. It can import the runtime and nothing else. */
export function generatedModule(
  format: ChatFormat,
  checkout: (text: string) => string = (text) => text,
): ResponseModule {
  const { outputText } = ts.transpileModule(checkout(emitModule(format)['parser.ts']), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exports: { responseModule?: ResponseModule } = {};
  const require = (name: string) => {
    if (name !== 'idiolect/parser') throw new Error(`a generated module imports ${name}`);
    return runtime;
  };
  new Function('exports', 'require', outputText)(exports, require);
  if (exports.responseModule === undefined) throw new Error('no module was exported');
  return exports.responseModule;
}
