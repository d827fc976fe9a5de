/** A connection to an MCP server that a command starts: one message per line on its standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { codeOf } from '../../format/error-class.ts';
import type { McpConnection, McpListener } from './mcp-connection.ts';
import { endCommand, spawnedCommand } from './spawned-command.ts';

/** How much of a failing server's standard error is reported. */
const saidLength = 400;
/** Time for a server to exit after its input is closed. */
const graceMs = 500;

/** Starts the server. */
export function openStdio(command: readonly string[], listener: McpListener): McpConnection {
  const { file, args, verbatim } = spawnedCommand(command);
  const server = spawn(file, args, { stdio: 'pipe', windowsVerbatimArguments: verbatim, windowsHide: true });
  let line = '';
  let said = '';
  server.on('error', (error) => listener.fail(startFailure(file, error), error));
  server.on('exit', (code, signal) => listener.fail(`it ended (${signal ?? `exit code ${code}`})`));
  server.stdin.on('error', () => undefined); // `exit` reports its end
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-saidLength);
  });
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!listener.takes(text.length)) return;
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const each of lines) listener.receive(each);
  });
  return {
    said: () => said,
    send: (message) => void server.stdin.write(`${JSON.stringify(message)}\n`),
    close() {
      server.stdin.end();
      const kill = setTimeout(() => end(server), graceMs);
      server.on('exit', () => clearTimeout(kill));
      if (server.exitCode !== null || server.pid === undefined) clearTimeout(kill);
    },
  };
}

function startFailure(file: string, error: Error): string {
  if (codeOf(error) === 'ENOENT')
    return `it cannot be started: there is no command ${file}, or none that its first line names`;
  return `it cannot be started (${error.message})`;
}

function end(server: ChildProcess): void {
  const [program, ...args] = endCommand(server.pid ?? 0) ?? [];
  if (program === undefined) server.kill('SIGKILL');
  else spawn(program, args, { stdio: 'ignore', windowsHide: true }).on('error', () => server.kill('SIGKILL'));
}
