/** The files of `deploy/`, against the code: metrics that exist, options that the command has. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ServerMetrics } from '../../src/serve/metrics.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8');

it('the dashboard asks for metrics that exist', async () => {
  const text = await (await new ServerMetrics({ running: 0, queued: 0 }).response()).text();
  const known = Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name);
  const asked = JSON.stringify(JSON.parse(read('deploy/grafana.json'))).matchAll(/idiolect_\w+/g);
  const names = new Set(Array.from(asked, ([name]) => name.replace(/_bucket$/, '')));
  expect([...names].filter((name) => !known.includes(name))).toEqual([]);
});

it.each(['deploy/Dockerfile', 'deploy/idiolect.service'])('%s uses options of the command', (name) => {
  const used = Array.from(
    read(name).matchAll(/"(--[a-z-]+)"|serve[^\n]* (--[a-z]+) /g),
    ([, a, b]) => a ?? b ?? '',
  );
  const page = read('docs/cli-chat-and-serve.md');
  expect(used.length).toBeGreaterThan(0);
  for (const option of used) expect(page).toContain(`\`${option}`);
});

const systemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!systemd)('systemd knows all that the unit says', () => {
  const said = spawnSync('systemd-analyze', ['verify', path.join(root, 'deploy/idiolect.service')], {
    encoding: 'utf8',
  });
  expect([said.status, said.stderr]).toEqual([0, '']);
});
