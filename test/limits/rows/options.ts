/** Limits of options, tools and schemas. */
import { buildGrammar } from '../../../src/grammar/build-grammar.ts';
import { checkChatOptions, checkServedChatOptions } from '../../../src/runtime/chat/check-chat-options.ts';
import { llamaTopK } from '../../../src/runtime/chat/llama-sampling.ts';
import { completionRules } from '../../../src/runtime/engine/completion-options.ts';
import { checkLoadOptions } from '../../../src/runtime/node-llama-cpp/check-options.ts';
import { checkServerOptions } from '../../../src/servers/check-server-options.ts';
import { fileRules } from '../../../src/testing/model-file-options.ts';
import { plainSchema } from '../../../src/tools/plain-schema.ts';
import { readToolList } from '../../../src/tools/read-tool-list.ts';
import { jsonInTags } from '../../support/sample-formats.ts';
import { ends, nested, type Rows } from '../source-limits.ts';

const messages = [{ role: 'user', content: 'a' }] as const;

const isChat = (options: object) => ends(() => checkChatOptions({ messages, ...options }));
const isServedChat = (options: object) => ends(() => checkServedChatOptions({ messages, ...options }));
const isLoad = (options: object) => ends(() => checkLoadOptions(options));
const isServer = (options: object) =>
  ends(() => checkServerOptions({ kind: 'vllm', url: 'http://127.0.0.1:8000', ...options } as never));

export const optionRows: Rows = {
  'format/option-rules.ts maxTimer': (timeoutMs) => isServer({ timeoutMs }),
  'format/option-rules.ts maxTexts': (size) =>
    isChat({ stop: Array<string>(size).fill('a') }) &&
    isChat({ stopSequences: Array<string>(size).fill('a') }) &&
    isChat({ dry: { multiplier: 1, sequenceBreakers: Array<string>(size).fill('a') } }) &&
    completionRules.stop.allows(Array<string>(size).fill('a')),
  'format/option-rules.ts maxTextLength': (size) => isChat({ stop: ['a', 'a'.repeat(size)] }),
  'runtime/chat/check-chat-options.ts maxLogprobs': (logprobs) => isChat({ logprobs }),
  'runtime/chat/check-chat-options.ts maxSalt': (size) => isServedChat({ cacheSalt: 'a'.repeat(size) }),
  'template/prompt/template-variables.ts maxVariables': (size) =>
    isChat({
      templateVariables: Object.fromEntries(Array.from({ length: size }, (_, at) => [`a${at}`, at])),
    }) && isChat({ templateVariables: { a: { b: Array<number>(size - 2).fill(1) } } }),
  'runtime/chat/llama-sampling.ts maxTopK': (topK) => llamaTopK(topK) === topK,
  'runtime/chat/sampling-rules.ts maxCount': (token) => isChat({ logitBias: [[token, 1]] }),
  'runtime/chat/sampling-rules.ts maxPenalty': (penalty) =>
    isChat({ frequencyPenalty: penalty }) &&
    isChat({ presencePenalty: -penalty }) &&
    isChat({ repeatPenalty: penalty }),
  'runtime/chat/sampling-rules.ts maxBias': (bias) =>
    isChat({ logitBias: [['a', bias]] }) && isChat({ logitBias: [['a', -bias]] }),
  'runtime/chat/sampling-rules.ts maxRepeated': (repeatLastN) => isChat({ repeatLastN }),
  'servers/check-server-options.ts maxRetries': (retries) => isServer({ retries }),
  'runtime/node-llama-cpp/check-options.ts maxInteger': (size) =>
    isLoad({ contextSize: size }) && isLoad({ gpuLayers: size }) && isLoad({ batchSize: size }),
  'runtime/node-llama-cpp/check-options.ts maxSequences': (sequences) => isLoad({ sequences }),
  'testing/model-file-options.ts maxContextSize': (size) => fileRules.contextLength.allows(size),
  'json-schema/objects/object-writer.ts maxProperties': (maxProperties) => {
    const schema = { type: 'object', maxProperties } as const;
    const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
    return buildGrammar(jsonInTags, { responseFormat, policy: 'degrade' }).report.length === 0;
  },
  'tools/read-tool-list.ts maxTools': (size) =>
    ends(() =>
      readToolList(
        Array.from({ length: size }, (_, at) => ({ name: `t${at}` })),
        'a list',
      ),
    ),
  'tools/plain-schema.ts maxValues': (size) =>
    ends(() => plainSchema({ enum: Array<number>(size - 2).fill(1) }, 'f')),
  'tools/plain-schema.ts maxNameLength': (size) =>
    ends(() => plainSchema({ required: ['a'.repeat(size)] }, 'f')) &&
    ends(() => plainSchema({ properties: { ['a'.repeat(size)]: true } }, 'f')),
  'tools/plain-schema.ts maxDepth': (size) => ends(() => plainSchema({ const: nested(size) as never }, 'f')),
};
