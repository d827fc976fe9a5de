/** `idiolect chat`: a conversation in the terminal, with tools that are really executed. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { IdiolectError, UnsupportedOptionError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { type McpTool, mcpTools, samplingHandler } from '../../mcp/index.ts';
import { addHelpBelow } from '../help.ts';
import { type AnswerSampling, type McpServer, startMcpServer } from '../mcp/mcp-session.ts';
import { type OpenedTarget, openTarget, type TargetOptions } from '../model-target.ts';
import { nonNegative, positiveInteger, wholeNumber } from '../option-values.ts';
import { reportError } from '../report-error.ts';
import { addTargetOptions } from '../target-options.ts';
import { terminalText } from '../terminal-text.ts';
import { chatTools } from './chat-tools.ts';
import { createChatView } from './chat-view.ts';
import { type LineInput, openLineInput } from './line-input.ts';
import { promptStatus } from './prompt-status.ts';

interface ChatCommandOptions extends Omit<TargetOptions, 'command' | 'requireTools'> {
  readonly tools: boolean;
  readonly requireTools?: boolean;
  readonly thinking?: boolean;
  readonly temperature: number;
  readonly maxTokens?: number;
  readonly seed?: number;
  readonly system?: string;
  readonly mcp?: readonly string[];
}

type ChatTool = (typeof chatTools)[number] | McpTool;

/** Adds the command. */
export function registerChat(program: Command): void {
  const command = program
    .command('chat')
    .argument(
      '<model>',
      'a GGUF file, a model on the Hub (owner/name, owner/name:Q5_K_M), or the address of a server (http://localhost:8080)',
    )
    .optionsGroup('Conversation:')
    .option('--no-tools', 'offer no tools')
    .option(
      '--mcp <server...>',
      'offer the tools of MCP servers: commands that start them, or their addresses; default: none',
    )
    .option('--thinking', 'turn thinking on, if the template supports it')
    .option('--no-thinking', 'turn thinking off, if the template supports it')
    .option(
      '--temperature <number>',
      'sampling temperature; 0 always takes the likeliest token',
      nonNegative,
      0.7,
    )
    .option(
      '--max-tokens <number>',
      'the most tokens of one answer; default: what the context holds',
      positiveInteger,
    )
    .option('--seed <number>', 'makes answers reproducible; default: random', wholeNumber)
    .option('--system <text>', 'a system message; default: none')
    .optionsGroup('Model:')
    .option('--require-tools', 'reject a model that cannot call tools (the default, unless --no-tools)')
    .option('--no-require-tools', 'also accept a model that cannot call tools');
  addHelpBelow(addTargetOptions(command), usage).action(chat);
}

const usage =
  "While it runs: /new begins a new conversation, /quit leaves, Ctrl-C stops an answer, and Ctrl-C again leaves. Lines may also be piped in: each is a question of one conversation. A server that asks for a key is given the one in the environment's IDIOLECT_API_KEY.";

async function chat(target: string, options: ChatCommandOptions): Promise<void> {
  if (!options.tools && options.mcp !== undefined) {
    const reason = 'offers tools, and --no-tools offers none; leave one of the two out';
    throw new UnsupportedOptionError({ option: '--mcp', reason });
  }
  const requireTools = options.requireTools ?? options.tools;
  const model = await openTarget(target, { ...options, requireTools, command: 'idiolect chat' });
  const servers: McpServer[] = [];
  try {
    const offered =
      options.tools && model.supportsTools ? await offeredTools(options.mcp ?? [], model, servers) : [];
    const input = openLineInput(pc.bold('› '));
    process.stderr.write(greeting(model, offered, input));
    try {
      await runChat(model, input, options, offered);
    } finally {
      input.close();
    }
  } finally {
    for (const server of servers) server.close();
    await model.dispose();
  }
}

/**
 * The command's own tools, and those of MCP servers, which are put into `servers` as they start. A server's tool takes the
 * place of an own one with its name.
 */
async function offeredTools(
  sources: readonly string[],
  model: OpenedTarget,
  servers: McpServer[],
): Promise<readonly ChatTool[]> {
  const offered: ChatTool[] = [];
  for (const source of sources) {
    const server = await startMcpServer(source, {}, told(source, samplingHandler(model)));
    servers.push(server);
    offered.push(...(await mcpTools(server, { close: true })));
  }
  const taken = new Set(offered.map(({ name }) => name));
  return [...chatTools.filter(({ name }) => !taken.has(name)), ...offered];
}

/** Servers may ask the model, and the user sees it. */
function told(source: string, answer: AnswerSampling): AnswerSampling {
  return (...asked) => {
    process.stderr.write(pc.dim(`(${terminalText(source)} asks the model)\n`));
    return answer(...asked);
  };
}

function greeting(model: OpenedTarget, offered: readonly ChatTool[], { isInteractive }: LineInput): string {
  const names = offered.map(({ name }) => terminalText(name)).join(', ');
  const tools = offered.length > 0 ? `tools: ${names}` : 'no tools';
  const help = isInteractive ? pc.dim('  /new, /quit, Ctrl-C\n') : '';
  return `${pc.bold(terminalText(model.name))}  ${pc.dim(tools)}\n${help}`;
}

async function runChat(
  model: OpenedTarget,
  input: LineInput,
  options: ChatCommandOptions,
  offered: readonly ChatTool[],
): Promise<void> {
  const start: readonly Message[] =
    options.system === undefined ? [] : [{ role: 'system', content: options.system }];
  let messages = start;
  for (let line = await input.next(); line !== null; line = await input.next()) {
    const text = line.trim();
    if (text === '/quit' || text === '/exit') return;
    if (text === '/new') {
      messages = start;
      process.stderr.write(pc.dim('(a new conversation)\n'));
    } else if (text.startsWith('/')) process.stderr.write(`${pc.yellow('?')} there are /new and /quit\n`);
    else if (text !== '')
      messages = await ask(
        model,
        [...messages, { role: 'user', content: text }],
        { ...options, offered },
        input,
      );
  }
}

/** The conversation with the answer; without the question if there was no answer. */
async function ask(
  model: OpenedTarget,
  messages: readonly Message[],
  options: ChatCommandOptions & { readonly offered: readonly ChatTool[] },
  input: LineInput,
): Promise<readonly Message[]> {
  const view = createChatView((text) => process.stdout.write(text));
  const interruption = new AbortController();
  // The first Ctrl-C aborts, the second one exits at once.
  const release = input.listen(() => {
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort();
  });
  const before = messages.slice(0, -1);
  const status = promptStatus();
  try {
    const run = model.runTools({
      messages,
      tools: options.offered,
      // Schemas of servers may say what no grammar can; it is then checked.
      ...(options.mcp === undefined ? {} : { policy: 'degrade' as const }),
      temperature: options.temperature,
      signal: interruption.signal,
      onPromptProgress: status.show,
      ...withoutUndefined({ seed: options.seed, maxTokens: options.maxTokens, thinking: options.thinking }),
    });
    for await (const event of run) {
      status.clear();
      view.show(event);
    }
    return await run.messages;
  } catch (error) {
    status.clear();
    view.end();
    if (interruption.signal.aborted) {
      process.stderr.write(pc.dim('(stopped; this question is forgotten)\n'));
      return before;
    }
    if (!(error instanceof IdiolectError)) throw error;
    process.stderr.write(reportError(error, false));
    process.exitCode = 1;
    return before;
  } finally {
    release();
  }
}
