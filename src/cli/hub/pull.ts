/** `idiolect pull`: downloads a model from the Hub, after inspecting it. */

import { type Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { withoutUndefined } from '../../format/option-rules.ts';
import { inspectFile, requireToolSupport } from '../../hub/inspect-model.ts';
import { observeTemplate } from '../../hub/observe-template.ts';
import { cachedInstead } from '../../hub/obtain-model.ts';
import { type PulledModel, pullModel } from '../../hub/pull-model.ts';
import { type ModelReference, parseModelReference } from '../../hub/reference.ts';
import { terminalText } from '../terminal-text.ts';
import { createPullView } from './pull-view.ts';

interface PullCommandOptions {
  readonly file?: string;
  readonly quantization?: string;
  readonly revision?: string;
  readonly cache?: string;
  readonly connections: number;
  readonly requireTools: boolean;
  readonly json: boolean;
}

/** Adds the command. */
export function registerPull(program: Command): void {
  program
    .command('pull')
    .argument('<model>', 'owner/name, owner/name:Q5_K_M, owner/name@revision')
    .option(
      '-q, --quantization <name>',
      'which quantisation: Q5_K_M; default: Q4_K_M, or the nearest available',
    )
    .option('--file <path>', 'which file of the repository; default: by the quantisation')
    .option('--revision <name>', 'branch, tag or commit; default: main')
    .option('--no-require-tools', 'also download models that cannot call tools')
    .option('--connections <number>', 'parallel connections', connectionCount, 4)
    .option('--cache <folder>', 'where models are kept; default: where the tools of the Hub keep them')
    .option('--json', 'report for programs', false)
    .action(pull);
}

function connectionCount(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0 && number <= 64) return number;
  throw new InvalidArgumentError('It must be an integer from 1 to 64.');
}

async function pull(model: string, options: PullCommandOptions): Promise<void> {
  const given = parseModelReference(model);
  const reference = {
    ...given,
    file: options.file ?? given.file,
    quantization: options.quantization ?? given.quantization,
    revision: options.revision ?? given.revision,
  };
  const view = options.json ? null : createPullView();
  const pulled = await pullModel(reference, {
    requireTools: options.requireTools,
    connections: options.connections,
    ...withoutUndefined({ cache: options.cache, onEvent: view?.show }),
  })
    .finally(() => view?.stop())
    .catch((error: unknown) => showCached(error, reference, options));
  if (pulled === null) return;
  process.stdout.write(options.json ? `${JSON.stringify(report(pulled), null, 2)}\n` : done(pulled));
}

/** If the Hub is down, or `HF_HUB_OFFLINE` is set, a cached model is used without comparing hashes. */
async function showCached(
  error: unknown,
  reference: ModelReference,
  { cache, json, requireTools }: PullCommandOptions,
): Promise<null> {
  const { model, commit, files, quantization, size } = await cachedInstead(error, reference, cache);
  const card = await inspectFile(files[0], observeTemplate);
  if (requireTools) requireToolSupport({ ...card, model });
  const reason = error instanceof Error ? error.message : String(error);
  const facts = { model, commit, files, quantization, size, supports_tools: card.supportsTools };
  if (json) {
    const shown = { type: 'cached_model', ...facts, hub: reason };
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return null;
  }
  const lines = files.map((file) => `  ${terminalText(file)}\n`);
  const why = pc.dim(terminalText(reason));
  process.stdout.write(
    `${pc.green('✓')} ${pc.bold(terminalText(model))} is in the cache, not compared with the Hub:\n${lines.join('')}${why}\n`,
  );
  return null;
}

function report({ resolved, card, files, hashes }: PulledModel) {
  const { model, revision, commit, choice } = resolved;
  return {
    type: 'pulled_model',
    model,
    revision,
    commit,
    files,
    quantization: choice.chosen.quantization,
    size: card.size,
    supports_tools: card.supportsTools,
    hashes,
    others: choice.others,
    passed_over: choice.passedOver,
  };
}

function done({ card, files, hashes }: PulledModel): string {
  const how = hashes === 'computed' ? 'verified' : 'unchanged since it was verified';
  const lines = files.map((file) => `  ${terminalText(file)}\n`);
  return `${pc.green('✓')} ${pc.bold(terminalText(card.model))} is here, ${how}:\n${lines.join('')}`;
}
