/** Law: what a format writes for a message is what the template renders, byte for byte. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { isUnshown } from '../../src/generate/verify/laws.ts';
import { allTemplates, type CorpusTemplate, llamaTemplate } from '../support/corpora.ts';
import { spineNames } from '../support/spine-templates.ts';
import { ExactRender, tokens } from './exact-render.ts';
import { drafts, messageFor } from './messages.ts';
import { notChats, unfaithfulHistories } from './template-lists.ts';

const long = process.env.LAWS === 'long';

/** A template may drop what it is given, which is no matter of how it is written. */
function preserves(rendered: string, message: AssistantMessage): boolean {
  const thoughts = message.reasoning_content ?? '';
  return (
    rendered.includes(thoughts) &&
    (message.tool_calls ?? []).every((call) => rendered.includes(call.function.name))
  );
}

function checkExact(template: CorpusTemplate, runs: number): number {
  const { format } = analyzeTemplate(template.source, { name: template.name, ...tokens });
  const renders = {
    plain: new ExactRender(template.source, format, false),
    thinking: new ExactRender(template.source, format, true),
  };
  let compared = 0;
  const property = fc.property(drafts, (draft) => {
    const message = messageFor(draft, format);
    const exact = message.reasoning_content === undefined ? renders.plain : renders.thinking;
    const rendered = exact.render(message);
    if (rendered === null || !preserves(rendered, message) || isUnshown(format, message)) return;
    compared += 1;
    expect(exact.write(message)).toBe(rendered);
  });
  fc.assert(property, { numRuns: runs, seed: 20261121 });
  return compared;
}

describe('exact: the written turn equals the rendered turn', () => {
  test.each(spineNames)('%s', async (name) => {
    const runs = long ? 600 : 20;
    expect(checkExact(await llamaTemplate(name), runs)).toBeGreaterThan(runs / 3);
  });
});

describe.runIf(long)('exact, over both corpora', async () => {
  const templates = (await allTemplates()).filter(
    ({ id }) => !notChats.includes(id) && !unfaithfulHistories.includes(id),
  );
  test.each(templates.map((template) => [template.id, template] as const))('%s', (_, template) => {
    expect(checkExact(template, 200)).toBeGreaterThan(20);
  });
});
