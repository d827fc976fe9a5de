/** XGrammar's converter, compiled to WebAssembly by its authors (`@mlc-ai/web-xgrammar`), as a peer. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

/**
 * Makes XGrammar's grammar from the text of a JSON Schema, and rejects where it does not take the schema.
 * What it leaves out it says on the console, which is silenced here.
 */
export type ConvertSchema = (schema: string) => Promise<void>;

interface XGrammar {
  readonly Grammar: {
    fromJSONSchema(
      schema: string,
      anyWhitespace: boolean,
      indent: number | undefined,
      separators: readonly [string, string] | undefined,
      strictMode: boolean,
    ): Promise<{ dispose(): void }>;
  };
}

/** Loads it. Objects stay open where the schema leaves them open, which is not its own default. */
export async function loadXGrammar(): Promise<ConvertSchema> {
  const { Grammar } = loadCommonJs() as XGrammar;
  const convert: ConvertSchema = async (schema) => {
    (await Grammar.fromJSONSchema(schema, true, undefined, undefined, false)).dispose();
  };
  // The first use loads the WebAssembly, which keeps the console that it finds.
  const { log } = console;
  console.log = () => undefined;
  await convert('{}').finally(() => {
    console.log = log;
  });
  return convert;
}

/** The package says that it is a module, but is none. */
function loadCommonJs(): unknown {
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
