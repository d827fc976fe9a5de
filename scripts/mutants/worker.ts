/**
 * The process that runs tests: it keeps one vitest, whose sources stay transformed, and is killed when a mutant never
 * ends. The runner sends one request after another, and gets an answer for each.
 */
import path from 'node:path';
import type { TestModule, TestSpecification, Vitest } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { changedTexts } from './changes.ts';

/** Test files to run while `files`, by path from the root, are read as the given texts. */
export interface TestRequest {
  readonly files: Readonly<Record<string, string>>;
  /** In the order in which they run. */
  readonly tests: readonly string[];
}

/** Clock time of each test file in ms, and the name of the first test that failed, or that of a file that did not load. */
export interface TestAnswer {
  readonly times: Readonly<Record<string, number>>;
  readonly failed: string | null;
}

class AsGiven {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

const root = path.join(import.meta.dirname, '../..');
const vitest = await createVitest(
  'test',
  {
    root,
    config: path.join(import.meta.dirname, 'vitest.config.ts'),
    watch: false,
    reporters: [{}],
    // Names of tests that fail come from the results; what they print is of no use here.
    silent: true,
    bail: Number(process.env.MUTANT_BAIL ?? 1),
    maxWorkers: Number(process.env.MUTANT_WORKERS ?? 1),
    passWithNoTests: true,
    sequence: { sequencer: AsGiven },
  },
  { logLevel: 'silent' },
);
const specifications = await vitest.globTestSpecifications();

process.on('message', (request: TestRequest) => {
  run(vitest, request).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ times: {}, failed: String(error) } satisfies TestAnswer),
  );
});
// Nobody waits for an answer any more; the processes that run tests are of the same group.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.send?.('ready');

async function run(vitest: Vitest, { files, tests }: TestRequest): Promise<TestAnswer> {
  const changed = new Map(Object.entries(files).map(([file, text]) => [path.join(root, file), text]));
  const before = [...changedTexts().keys()];
  changedTexts().clear();
  for (const [file, text] of changed) changedTexts().set(file, text);
  for (const file of new Set([...before, ...changed.keys()])) vitest.invalidateFile(file);
  const wanted = new Map(tests.map((test, place) => [test, place]));
  const chosen = specifications
    .filter((each) => wanted.has(nameOf(each)))
    .sort((a, b) => (wanted.get(nameOf(a)) ?? 0) - (wanted.get(nameOf(b)) ?? 0));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, false);
  // A process that a mutant ends, by memory without end, leaves its test file without a result.
  const ended = unhandledErrors.length > 0 ? String(chosen.map(nameOf)[0]) : null;
  return {
    times: Object.fromEntries(
      testModules.map((module) => [path.relative(root, module.moduleId), module.diagnostic().duration]),
    ),
    failed: testModules.map(failureOf).find((name) => name !== null) ?? ended,
  };
}

function nameOf({ moduleId }: { readonly moduleId: string }): string {
  return path.relative(root, moduleId);
}

function failureOf(module: TestModule): string | null {
  for (const test of module.children.allTests('failed')) return `${nameOf(module)}: ${test.fullName}`;
  return module.errors().length > 0 || module.state() === 'failed' ? nameOf(module) : null;
}
