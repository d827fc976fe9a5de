/**
 * Records how `llama-server` answers, into `llama-exchanges.json`; its executable is named by the environment:
 *
 *     IDIOLECT_LLAMA_SERVER=… npx tsx --conditions=idiolect:source test/support/record-llama-server.ts
 */
import { exchangeContext, exchangeModelFile, recordAnswers } from './llama-exchanges.ts';
import { startLlamaServer } from './real-llama-server.ts';

const modelFile = await exchangeModelFile();
const server = await startLlamaServer(modelFile, { slots: 1, contextSize: exchangeContext });
await recordAnswers(server.url, modelFile).finally(server.kill);
