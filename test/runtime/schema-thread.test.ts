/** What takes long to compile is compiled in a thread of its own, with the same result, once. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bundledScript } from '../support/bundled-script.ts';

const format = path.join(import.meta.dirname, '../../generated/qwen-qwen3-0.6b/format.json');
const thread = 'src/runtime/node-llama-cpp/ahead/schema-worker.ts';

it('small schemas need no thread, large ones need it once, refused ones are refused alike', () => {
  const script = bundledScript('test/support/schema-thread-process.ts', [thread]);
  const results: unknown = JSON.parse(execFileSync(process.execPath, [script, format], { encoding: 'utf8' }));
  expect(results).toEqual([
    { jobs: 0, same: true },
    { jobs: 1, same: true },
    { jobs: 1, same: true },
    // It is refused only after its patterns, which are as costly.
    { jobs: 1, same: true },
    { jobs: 0, same: true },
    // To read so many values, or so long a text, takes long, whatever comes of it.
    { jobs: 1, same: true },
    { jobs: 0, same: true },
    { jobs: 1, same: true },
  ]);
});
