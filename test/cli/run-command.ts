/** Runs one command in this process and returns what it wrote, without colours. */
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { vi } from 'vitest';

/** What a command left after. */
export interface CommandResult {
  readonly text: string;
  readonly exitCode: number;
}

/** Rejects with what the command throws. */
export async function runCommand(
  register: (program: Command) => void,
  ...args: readonly string[]
): Promise<CommandResult> {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const program = new Command('idiolect').exitOverride();
  register(program);
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await program.parseAsync(args, { from: 'user' });
    return { text: stripVTControlCharacters(written.join('')), exitCode: Number(process.exitCode) };
  } finally {
    spy.mockRestore();
    process.exitCode = before;
  }
}
