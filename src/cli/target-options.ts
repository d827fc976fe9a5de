/** The options of commands that open a model. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ServerKind } from '../servers/server-options.ts';
import { isServerAddress } from './model-target.ts';
import { positiveInteger, wholeNumber } from './option-values.ts';
import { toolFormatOption } from './tool-format.ts';

/** Adds the options of `TargetOptions`. */
export function addTargetOptions(command: Command): Command {
  return command
    .optionsGroup('Model:')
    .option(
      '--context-size <number>',
      "tokens available to a conversation; default: the model's training context, at most 8192",
      positiveInteger,
    )
    .option(
      '--threads <number>',
      'compute threads; default: the physical cores, within what this machine gives; 1 for small models',
      wholeNumber,
    )
    .option('--no-gpu', 'use no GPU')
    .option(
      '--gpu-layers <number>',
      'layers on the GPU; default: as many as fit into its memory',
      wholeNumber,
    )
    .option('--lora <file...>', 'LoRA adapters, as a file or file=weight; default: none')
    .option('--batch-size <number>', 'prompt tokens evaluated at once; default: 512', positiveInteger)
    .option('--no-mmap', 'read the file into memory instead of mapping it')
    .addOption(
      new Option('--server <kind>', 'kind of server at the address; default: llama-server')
        .choices(serverKinds)
        .argParser(serverKind),
    )
    .option(
      '--template <file>',
      'a chat template to use: a .jinja file or tokenizer_config.json; default: that of the file, or what llama-server reports',
    )
    .option(
      '--vision',
      'the model at the address sees pictures; default: what the server says, and vLLM does not',
    )
    .addOption(toolFormatOption());
}

const serverKinds: readonly ServerKind[] = ['llama-server', 'vllm', 'sglang'];

function serverKind(text: string): ServerKind {
  const kind = serverKinds.find((each) => each === text);
  if (kind !== undefined) return kind;
  const reason = `It is the kind of server: ${serverKinds.join(', ')}.`;
  const instead = ' An address is given in place of the model.';
  throw new InvalidArgumentError(isServerAddress(text) ? reason + instead : reason);
}
