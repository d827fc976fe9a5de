/** Templates that are in neither corpus, and formats that no model has yet, with responses written by hand. */
import fs from 'node:fs';
import path from 'node:path';
import type { PartResult } from './parts.ts';
import {
  type Judgement,
  judge,
  type RequiredTexts,
  type WrittenCall,
  type WrittenResponse,
} from './written-responses.ts';

interface UnseenTemplate {
  readonly file: string;
  readonly verdict: string;
  readonly samples: readonly (WrittenResponse & { readonly soft: boolean })[];
  /** `null` where no call can be required. */
  readonly required: RequiredTexts | null;
}

interface MadeTemplate {
  readonly name: string;
  readonly template: string;
  readonly samples: readonly {
    readonly response: string;
    readonly expect: readonly [string, string, readonly WrittenCall[]];
  }[];
}

/** One template with its judgement. `isRefusable`: Python cannot render it either. */
interface Judged extends Judgement {
  readonly name: string;
  readonly isRefusable: boolean;
}

/** Templates whose parser and grammar are right. */
export function countRight(dataFolder: string): PartResult {
  return count(
    dataFolder,
    ({ verdict, isRefusable }) => verdict === 'right' || (verdict === 'refused' && isRefusable),
  );
}

/** Templates that are right, or whose analysis warns or refuses. */
export function countTold(dataFolder: string): PartResult {
  return count(dataFolder, ({ verdict }) => verdict !== 'wrong in silence');
}

let judged: { readonly folder: string; readonly all: readonly Judged[] } | undefined;

function count(dataFolder: string, counts: (each: Judged) => boolean): PartResult {
  if (judged?.folder !== dataFolder) judged = { folder: dataFolder, all: judgeAll(dataFolder) };
  const { all } = judged;
  return {
    passed: all.filter(counts).length,
    total: all.length,
    failures: all
      .filter((each) => !counts(each))
      .map(({ name, verdict, wrong }) => `${name}: ${verdict}: ${wrong.length}, ${wrong[0] ?? ''}`),
    details: all.flatMap(({ name, verdict, wrong }) => [
      `${verdict.padEnd(17)} ${name}`,
      ...wrong.map((line) => `    ${line}`),
    ]),
  };
}

function judgeAll(dataFolder: string): readonly Judged[] {
  return [
    ...judgeUnseen(path.join(dataFolder, 'unseen-templates')),
    ...judgeMade(path.join(dataFolder, 'made-templates.jsonl')),
  ];
}

function judgeUnseen(folder: string): readonly Judged[] {
  return linesOf<UnseenTemplate>(path.join(folder, 'index.jsonl')).map(
    ({ file, verdict, samples, required }) => {
      const source = fs.readFileSync(path.join(folder, file), 'utf8');
      const responses = samples.filter(({ soft }) => !soft);

      return {
        name: file,
        isRefusable: verdict.includes('refused rightly') || samples.length === 0,
        ...judge(source, responses, required),
      };
    },
  );
}

function judgeMade(file: string): readonly Judged[] {
  return linesOf<MadeTemplate>(file).map(({ name, template, samples }) => {
    const responses = samples.map(
      ({ response, expect: [reasoning, content, calls] }, index): WrittenResponse => ({
        id: `response ${index}`,
        thinking: null,
        turn: 'first',
        text: response,
        expect: { reasoning, content, calls },
      }),
    );
    return { name, isRefusable: false, ...judge(template, responses, null) };
  });
}

function linesOf<Line>(file: string): readonly Line[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line));
}
