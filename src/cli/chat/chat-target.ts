/** What `idiolect chat` talks to: a model in this process, from a file or the Hub, or one on a server. */
import { MissingPackageError } from '../../format/errors.ts';
import { obtainModel } from '../../hub/index.ts';
import type { ChatModel, LoadModelOptions } from '../../runtime/node-llama-cpp/index.ts';
import { connectServer, type ServerKind } from '../../runtime/servers/index.ts';
import { createPullView } from '../hub/pull-view.ts';
import { readModelSource } from '../model-source.ts';

/** Options that say how it is opened. */
export interface ChatTargetOptions {
  readonly tools: boolean;
  readonly requireTools?: boolean;
  readonly contextSize?: number;
  readonly gpu: boolean;
  readonly server: ServerKind;
  readonly template?: string;
}

/** Whoever answers. */
export interface ChatPartner extends Pick<ChatModel, 'name' | 'runTools' | 'dispose'> {
  /** Its template knows tools and calls. */
  readonly supportsTools: boolean;
}

/** Opens what `target` names. Throws what the Hub, `loadModel` and `connectServer` throw. */
export function openChatTarget(target: string, options: ChatTargetOptions): Promise<ChatPartner> {
  if (/^https?:\/\//i.test(target)) return openServer(target, options);
  // No file and no model of the Hub is called so.
  return hostAndPort.test(target) ? openServer(`http://${target}`, options) : openModel(target, options);
}

/** `localhost:8080` */
const hostAndPort = /^[\w.-]+:\d+(?:\/|$)/;

async function openServer(url: string, options: ChatTargetOptions): Promise<ChatPartner> {
  const { server: kind, contextSize, template } = options;
  const requireTools = options.requireTools ?? options.tools;
  const source = template === undefined ? null : await readModelSource(template);
  const { IDIOLECT_API_KEY: apiKey } = process.env;
  const model = await connectServer({
    kind,
    url,
    requireTools,
    ...(contextSize === undefined ? {} : { contextSize }),
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
    ...(source === null ? {} : { chatTemplate: source.templateSource }),
    ...(source?.bosToken === undefined ? {} : { bosToken: source.bosToken }),
    ...(source?.eosToken === undefined ? {} : { eosToken: source.eosToken }),
  });
  const { supportsTools, supportsToolCalls } = model.templates.default.format.capabilities;
  return {
    name: model.name,
    supportsTools: requireTools || (supportsTools && supportsToolCalls),
    runTools: (request) => model.runTools(request),
    dispose: async () => undefined,
  };
}

async function openModel(target: string, options: ChatTargetOptions): Promise<ChatPartner> {
  const { loadModel } = await importEngine();
  const view = createPullView();
  const requireTools = options.requireTools ?? options.tools;
  const obtained = await obtainModel(target, { requireTools, onEvent: view.show }).finally(view.stop);
  const loadOptions: LoadModelOptions = {
    requireTools,
    ...(options.contextSize === undefined ? {} : { contextSize: options.contextSize }),
    ...(options.gpu ? {} : { gpu: false }),
  };
  const model = await loadModel(obtained.file, loadOptions);
  return {
    name: model.name,
    supportsTools: obtained.card.supportsTools,
    runTools: (request) => model.runTools(request),
    dispose: () => model.dispose(),
  };
}

/** Only here, so that every other command works where the engine is not installed. */
async function importEngine(): Promise<typeof import('../../runtime/node-llama-cpp/index.ts')> {
  try {
    return await import('../../runtime/node-llama-cpp/index.ts');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    throw new MissingPackageError({ packageName: 'node-llama-cpp', neededFor: 'idiolect chat', cause });
  }
}
