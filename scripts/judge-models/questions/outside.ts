/** Questions and templates from outside of the repository, if somebody put them there. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Check, QuestionSet } from '../../../src/cli/try/question.ts';
import type { Tool } from '../../../src/format/messages.ts';

/** Where questions and templates from elsewhere lie: `IDIOLECT_MODELS`, or `../shared/models` next to the repository. */
export function outsideFolder(): string {
  return process.env.IDIOLECT_MODELS ?? path.join(import.meta.dirname, '../../../../shared/models');
}

/** What `questions.mjs` exports. */
interface OutsideModule {
  readonly tools: readonly Tool[];
  readonly questions: readonly {
    readonly text: string;
    readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, Check>> }[];
  }[];
}

/** The questions of `questions.mjs` in that folder; `null` if it is not there. */
export async function outsideQuestions(): Promise<QuestionSet | null> {
  const file = path.join(outsideFolder(), 'questions.mjs');
  if (!fs.existsSync(file)) return null;
  const { tools, questions }: OutsideModule = await import(pathToFileURL(file).href);
  return {
    name: 'outside',
    tools,
    questions: questions.map(({ text, calls }, index) => ({
      id: `outside-${index + 1}`,
      text,
      calls: calls.map(({ name, args }) => ({ name, checks: args })),
    })),
  };
}
