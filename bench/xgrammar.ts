/** XGrammar's converter of JSON Schema, as a peer. */
import { loadXGrammarPackage } from '../test/support/xgrammar.ts';

/**
 * Makes XGrammar's grammar from the text of a JSON Schema, and rejects where it does not take the schema.
 * What it leaves out it says on the console, which is silenced here.
 */
export type ConvertSchema = (schema: string) => Promise<void>;

/** Loads it. Objects stay open where the schema leaves them open, which is not its own default. */
export async function loadXGrammar(): Promise<ConvertSchema> {
  const { Grammar } = loadXGrammarPackage();
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
