/** `docs/cli.md` with its parts, and `--help`: the same commands, the same options, each with its default. */
import type { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { loadAll } from '../../src/cli/commands.ts';
import { docPages } from '../support/doc-pages.ts';

const page = docPages('cli', 'cli-formats', 'cli-models', 'cli-chat-and-serve');
const commands = await loadAll();

/** The rows of the first table of options after the heading of a command. */
function documented(command: string): readonly (readonly string[])[] {
  const section = page.split(`\n## ${command}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.matchAll(/^\| `(-[^`]+)` \| (.+) \| (.+) \|$/gm);
  return Array.from(rows, ([, flags = '', what = '', byDefault = '']) => [
    flags,
    what.trim(),
    byDefault.trim(),
  ]);
}

function stated({ defaultValue }: Option): string | null {
  return defaultValue === undefined || typeof defaultValue === 'boolean' ? null : `\`${defaultValue}\``;
}

describe.each(commands.map((command) => [command.name(), command] as const))('%s', (name, command) => {
  const rows = documented(name);

  it('has the options that the page lists', () => {
    expect(rows.map(([flags]) => flags)).toEqual(command.options.map(({ flags }) => flags));
  });

  it('has the defaults that the page states', () => {
    for (const [index, option] of command.options.entries()) {
      const [, , byDefault = ''] = rows[index] ?? [];
      expect(byDefault, option.flags).toMatch(stated(option) === null ? /\S/ : /^`/);
      if (stated(option) !== null) expect(byDefault, option.flags).toBe(stated(option));
    }
  });

  it('says in its help what is taken where an option with a value is absent', () => {
    const silent = command.options.filter(
      (option) => option.required && stated(option) === null && !option.description.includes('default: '),
    );
    expect(silent.map(({ flags }) => flags)).toEqual([]);
  });
});

it('the page lists all commands', () => {
  const listed = Array.from(page.matchAll(/^\| \[`(\w+)`\]\([\w.-]*#\w+\)/gm), ([, name]) => name);
  expect(listed.sort()).toEqual(commands.map((command) => command.name()).sort());
});
