/**
 * What is fuzzed: everything that reads what strangers write. Each target makes inputs and tries one; it throws where
 * the outcome is neither a result nor a typed error, or where two ways to the same result differ. Inputs are made of
 * real documents with a few changes, so that most of them come through the first check and meet what lies behind it.
 * `npm run fuzz` draws them for as long as it is told; the tests try some, and all that were kept.
 */
import { chat } from './chat-target.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { gguf } from './gguf-target.ts';
import { gbnf, masks } from './mask-targets.ts';
import { mcp } from './mcp-target.ts';
import { hub, server } from './network-targets.ts';
import { prompt } from './prompt-target.ts';
import { requests } from './request-target.ts';
import { parser, responseTemplate } from './response-targets.ts';
import { template } from './template-target.ts';
import { schema, tools } from './tool-targets.ts';
import { values } from './values-target.ts';

/** By name, as on the command line. */
export const fuzzTargets: Readonly<Record<string, FuzzTarget>> = {
  template,
  prompt,
  gguf,
  schema,
  values,
  masks,
  gbnf,
  tools,
  mcp,
  chat,
  parser,
  'response-template': responseTemplate,
  server,
  requests,
  hub,
};
