/** Answers without calls, in every format whose grammar waits for a call: none may be forced, and no text lost. */
import type { NamedTemplate } from '../insisting/chat-templates.ts';
import { type InsistedResponse, insisting } from '../insisting/insisting-model.ts';
import { boundedTools } from '../insisting/wrong-texts.ts';

/** Texts with what some formats begin calls with. */
export const plainAnswers: readonly string[] = [
  'See [1] for more, and [the manual](https://example.com/a[0]).',
  'Write x[0] for the first item and x[1] for the second one.',
  'A set is written {} in some languages, and a list is [] in most.',
  'As shown before[^1], it holds.\n\n[^1]: With an exception.',
  '- [ ] milk\n- [x] bread',
  'In JSON that is {"a": [1, 2], "b": {}}.',
  'The tag <b> is bold, and a < b > c is a chain.',
  'Use f(x) = x + 1, or print("[1]").',
];

/** What became of one answer. */
export interface AnswerOutcome {
  readonly template: string;
  readonly text: string;
  readonly response: InsistedResponse;
  /** A call was made of it, or a part of the text is gone. */
  readonly broken: boolean;
}

/** Writes every answer. */
export function tryAnswers(template: NamedTemplate): AsyncGenerator<AnswerOutcome> {
  const { format, name } = template;
  const request = { tools: boundedTools };
  const { open, close } = format.content;
  return insisting(template, [request], async function* (model) {
    for (const text of plainAnswers) {
      const response = await model.respond(model.encodeResponse(request, open + text + close), request);
      const { generationPrompt } = model.preview(request);
      const broken = response.calls.length > 0 || !isAnswer(response.content, text, generationPrompt);
      yield { template: name, text, response, broken };
    }
  });
}

/** Whether an answer is `text`, after what the prompt may have begun it with. */
function isAnswer(content: string, text: string, generationPrompt: string): boolean {
  const answer = content.trim();
  const begun = answer.slice(0, Math.max(0, answer.length - text.length)).trim();
  return answer.endsWith(text) && generationPrompt.trimEnd().endsWith(begun);
}
