/** From a chat template to all that the page shows of it. Plain functions: they run in a Worker and in Node. */
import type { Analysis } from '../../../src/analysis/analysis.ts';
import { analyzeTemplate } from '../../../src/analysis/analyze-template.ts';
import { type ProbeTable, probeTable } from '../../../src/analysis/probes/probes.ts';
import { TemplateProber } from '../../../src/analysis/probes/template-prober.ts';
import { replaceTokens } from '../../../src/analysis/result/model-tokens.ts';
import { sampleMessage, sampleTool } from '../../../src/cli/sample-response.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { AssistantMessage, Message, Tool } from '../../../src/format/messages.ts';
import { chooseSentinels } from '../../../src/template/prompt/sentinels.ts';
import { parseTemplate } from '../../../src/template/template.ts';

/** A chat template, what its model is called, and what is known of the model's tokens. */
export interface TemplateInput {
  readonly name: string;
  readonly templateSource: string;
  readonly bosToken?: string;
  readonly eosToken?: string;
  readonly addedTokens?: readonly string[];
  readonly endTokens?: readonly string[];
}

/** What a person can change of a conversation: what is asked, what may be called, and what is answered. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly answer: AssistantMessage;
}

/** An analysis, and the renders that it was read off. */
export interface Inspection {
  readonly analysis: Analysis;
  /** The conversation without an answer, as it is rendered; `null` where the template refuses it. */
  readonly unanswered: string | null;
  /** Renders by the id of their probe. */
  readonly renders: ReadonlyMap<string, string>;
  readonly conversation: Conversation;
}

/** Throws what `analyzeTemplate` throws. */
export function inspectTemplate(input: TemplateInput): Inspection {
  const { templateSource, name, bosToken = '', eosToken = '', addedTokens = [], endTokens = [] } = input;
  const analysis = analyzeTemplate(templateSource, { name, bosToken, eosToken, addedTokens, endTokens });
  return {
    analysis,
    ...probeRenders(input, analysis.format),
    conversation: sampleConversation(analysis.format),
  };
}

/** Some templates read the description of every parameter. */
const describedTool: Tool = {
  type: 'function',
  function: {
    ...sampleTool.function,
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Name of the city.' },
        days: { type: 'integer', description: 'How many days ahead.' },
      },
      required: ['city', 'days'],
    },
  },
};

function sampleConversation(format: ChatFormat): Conversation {
  return {
    messages: [{ role: 'user', content: 'Will it rain in Oslo, or in Rome?' }],
    tools: [describedTool],
    answer: sampleMessage(format),
  };
}

/** The probes once more: an analysis keeps the slices that told, and not the texts around them. */
function probeRenders(
  { templateSource, name, bosToken = '', eosToken = '' }: TemplateInput,
  format: ChatFormat,
): Pick<Inspection, 'unanswered' | 'renders'> {
  const sentinels = chooseSentinels(templateSource);
  if (sentinels === null) return { unanswered: null, renders: new Map() };
  const template = parseTemplate(templateSource, { name, limits: { steps: 200_000, output: 1 << 20 } });
  const prober = new TemplateProber(template, sentinels, format.input);
  const special = new Map([
    [sentinels.bos, bosToken],
    [sentinels.eos, eosToken],
  ]);
  const withTokens = (text: string | null) => (text === null ? null : replaceTokens(text, special));
  const renders = new Map<string, string>();
  const keep = (id: string, text: string | null) => {
    const render = withTokens(text);
    if (render !== null) renders.set(id, render);
  };
  const table: ProbeTable = probeTable(sentinels);
  for (const probe of Object.values(table)) keep(probe.id, prober.render(probe));
  for (const thinking of ['unset', 'on', 'off'] as const) {
    keep(`prompt-${thinking}`, prober.render(null, thinking, { add_generation_prompt: true }));
  }
  const unanswered = withTokens(prober.render(null));
  keep('user', unanswered);
  return { unanswered, renders };
}
