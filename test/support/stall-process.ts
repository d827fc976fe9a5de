/** A process that does one of these with the model file it is given, writes what comes of it, and has nothing else to do. */
import { IdiolectError, StalledError } from '../../src/format/errors.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';

const messages = [{ role: 'user', content: 'How is the weather in Bern?' }] as const;
const chat = { messages, temperature: 0, maxTokens: 200 } as const;
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

/** What may be waited for in vain, by name. */
const stalls: Readonly<Record<string, (model: ChatModel) => Promise<unknown>>> = {
  /** A chat, while the only sequence belongs to a response that nobody reads on. */
  async sequence(model) {
    for await (const _ of model.chat(chat)) await model.chat(chat).message;
    return null;
  },
  /** The same, several times, and a chat after the last one was left: the model is still there. */
  async caught(model) {
    for (let time = 0; time < 3; time += 1) {
      for await (const _ of model.chat(chat)) {
        const outcome = await model.chat(chat).message.catch((error: unknown) => error);
        if (!(outcome instanceof StalledError)) return outcome;
        break;
      }
    }
    return (await model.chat(chat).message).content;
  },
  /** The message of a response, in the loop that reads it. */
  async message(model) {
    const answer = model.chat(chat);
    for await (const _ of answer) await answer.message;
    return null;
  },
  /** A tool that never returns. */
  async tool(model) {
    const execute = () => new Promise<string>(() => undefined);
    const tools = [{ name: 'get_weather', parameters, execute }];
    return model.runTools({ ...chat, tools, toolChoice: 'required', toolRetries: 2 }).message;
  },
  /** A chat whose prompt another one has begun, which nobody reads on: it needs no sequence of that one. */
  async shared(model) {
    const content = 'Everything that both begin with. '.repeat(20);
    const long = { ...chat, messages: [{ role: 'system', content }, ...messages] } as const;
    for await (const _ of model.chat(long)) return (await model.chat(long).message).content?.length !== 0;
    return null;
  },
};

const [file = '', name = '', sequences = '1'] = process.argv.slice(2);
const model = await loadModel(file, { threads: 1, contextSize: 2048, sequences: Number(sequences) });

// Not awaited here: a module that waits in vain ends with an exit code of its own.
void (async () => {
  try {
    console.log(await stalls[name]?.(model));
  } catch (error) {
    console.log(error instanceof IdiolectError ? `${error.code}: ${error.message}` : error);
  }
})();
