import { readFileSync } from 'node:fs';

/**
 * Prints which tests failed, each with the beginning of its message, and how many passed, from the report of vitest's
 * reporter `json`: `tsx scripts/test-summary.ts results.json`. The end of a long log is what people see of it.
 */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Lines of a message that are printed: the difference of an assertion, without its stack. */
const messageLines = 12;

const [, , file = 'results.json'] = process.argv;
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
for (const { name, status, message, assertionResults } of report.testResults) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that does not load has a message of its own, and no test.
  if (failed.length === 0 && status === 'failed') print(name, message);
  for (const test of failed) print(`${name} > ${test.fullName}`, (test.failureMessages ?? []).join('\n'));
}
console.log(
  `\n${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`,
);

function print(title: string, message: string): void {
  const lines = message.split('\n').slice(0, messageLines);
  console.log(['', `FAILED ${title}`, ...lines.map((line) => `  ${line}`)].join('\n'));
}
