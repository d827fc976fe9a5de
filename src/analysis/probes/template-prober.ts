/**
 * Renders probes and cuts the assistant's turn out of the conversation.
 *
 *     … user text │ end of the user's turn │ THE TURN │ what the template always writes last
 *                   userEnd                             tail
 *
 * If a template refuses a probe, the result is `null`: that is an answer, not a failure.
 */
import { AnalysisError, TemplateError } from '../../format/errors.ts';
import type { Template, TemplateVariables } from '../../template/parsed-template.ts';
import { observeInputShape } from '../../template/prompt/input-shape.ts';
import type { Sentinels } from '../../template/prompt/sentinels.ts';
import { type SwitchValue, thinkingSwitches } from '../../template/prompt/thinking-switches.ts';
import {
  commonPrefixLength,
  commonSuffixLength,
  commonTokens,
  firstMarker,
  tokenEdges,
  tokens,
} from '../literals/tokens.ts';
import { type MessageForm, probeMessages, probeTools, type ToolLevel } from './probe-messages.ts';
import type { Probe } from './probes.ts';

/** The setting of thinking in a render. */
export type ThinkingSetting = 'unset' | 'on' | 'off';

/** The text around the assistant's turn in a conversation. */
interface TurnSurroundings {
  /** The text between the user's text and the assistant's turn. */
  readonly userEnd: string;
  /** The text that the template always writes last. */
  readonly tail: string;
  /** The generation prompt. */
  readonly prompt: string;
}

/** Real templates write some hundred characters per turn, and up to a few thousand if they repeat the tools. */
const maxTurnLength = 12_000;

/** Renders probes of one template, in the form of messages that it reads. */
export class TemplateProber {
  readonly #known = new Map<ThinkingSetting, TurnSurroundings>();
  readonly #template: Template;
  readonly #variables: TemplateVariables;
  #tools: ToolLevel = 'typed';
  #refusal = '';
  #failed = false;
  #arbitrarySpace: boolean | undefined;

  constructor(
    template: Template,
    readonly sentinels: Sentinels,
    readonly form: MessageForm = observeInputShape(template),
    variables: TemplateVariables = {},
  ) {
    this.#template = template;
    this.#variables = variables;
  }

  /** A prober of the same template for another form of messages, with other variables. */
  inForm(form: MessageForm, variables: TemplateVariables = {}): TemplateProber {
    return new TemplateProber(this.#template, this.sentinels, form, variables);
  }

  /** The template's name, for errors. */
  get name(): string {
    return this.#template.name;
  }

  /** The whole render, or `null` if the template refuses. */
  render(
    probe: Probe | null,
    thinking: ThinkingSetting = 'unset',
    variables: Readonly<Record<string, unknown>> = {},
  ): string | null {
    const isWithoutTools = 'tools' in variables && variables.tools === undefined;
    // Without tools, transformers passes none; some templates fail at that and expect no such variable.
    const none = isWithoutTools ? this.#tryRender(probe, thinking, { ...variables, tools: null }) : null;
    return none ?? this.#tryRender(probe, thinking, variables);
  }

  #tryRender(
    probe: Probe | null,
    thinking: ThinkingSetting,
    variables: Readonly<Record<string, unknown>>,
  ): string | null {
    this.#failed = false;
    try {
      return this.#template.render(
        {
          messages: probeMessages(probe, this.sentinels, this.form),
          tools: structuredClone(probeTools(this.sentinels, this.#tools)),
          add_generation_prompt: false,
          bos_token: this.sentinels.bos,
          eos_token: this.sentinels.eos,
          functions: '[]',
          datetime: 'now',
          ...this.#variables,
          ...this.#thinkingVariables(thinking),
          ...variables,
        },
        { now: new Date(0) },
      );
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.#failed = error.kind !== 'raised';
      this.#refusal = this.#failed ? error.reason : `it raised ${JSON.stringify(error.reason)}`;
      return null;
    }
  }

  /** Why rendering a probe fails; `null` if it succeeds, or the template raises an error itself. */
  failure(probe: Probe): string | null {
    return this.render(probe) === null && this.#failed ? this.#refusal : null;
  }

  /** The turn of a probe, including its end; `null` if the template refuses. */
  turn(probe: Probe, thinking: ThinkingSetting = 'unset'): string | null {
    const turn = this.#spacedTurn(probe, thinking);
    return turn === null || !this.#hasArbitrarySpace ? turn : turn.trimStart();
  }

  /** The turn, with the white space between the user's message and it. */
  #spacedTurn(probe: Probe, thinking: ThinkingSetting): string | null {
    const { userEnd, tail, prompt } = this.#surroundings(thinking);
    const text = this.#afterUser(this.render(probe, thinking));
    if (text === null || !text.startsWith(userEnd)) return null;
    const turn = text.slice(userEnd.length);
    if (probe.followedBy !== undefined) return this.#upToFollower(turn);
    if (turn.endsWith(tail)) return turn.slice(0, turn.length - tail.length);
    // A template that always adds a prompt after an answer adds none after calls, because their results come next.
    return tail === prompt && probe.calls !== undefined ? turn : null;
  }

  /**
   * Whether white space before turns means nothing: it differs from turn to turn, as when a template's own indentation
   * is rendered, while all turns begin with the same marker, or none begins without white space.
   */
  get #hasArbitrarySpace(): boolean {
    this.#arbitrarySpace ??= this.#findArbitrarySpace();
    return this.#arbitrarySpace;
  }

  #findArbitrarySpace(): boolean {
    const { content, names, ids } = this.sentinels;
    const call = { name: names[0], id: ids[0], arguments: {} };
    const probes: readonly Probe[] = [
      { id: 'content', content },
      { id: 'no-arguments', calls: [call] },
      { id: 'content-call', content, calls: [call] },
    ];
    const turns = probes
      .map((probe) => this.#spacedTurn(probe, 'unset'))
      .filter((turn) => turn !== null && (turn.includes(content) || turn.includes(call.name)));
    const { prompt } = this.#surroundings('unset');
    const openings = [...turns, ...(prompt.trim() === '' ? [] : [prompt])].filter((text) => text !== null);
    const spaces = new Set(openings.map((text) => text.slice(0, text.length - text.trimStart().length)));
    if (spaces.size < 2) return false;
    const markers = new Set(openings.map((text) => tokens(text.trimStart())[0] ?? ''));
    return (markers.size === 1 && !markers.has(content)) || (prompt.trim() === '' && !spaces.has(''));
  }

  /** The render from the user's text on; `null` if the template refuses. */
  conversation(probe: Probe): string | null {
    const { user } = this.sentinels;
    const text = this.#afterUser(this.render(probe));
    return text === null ? null : user + text;
  }

  /** The whole prompt with tools in the variable `name`; `null` if the template refuses. */
  promptWithTools(name: string): string | null {
    const tools = structuredClone(probeTools(this.sentinels, this.#tools));
    return this.render(null, 'unset', { tools: undefined, [name]: tools });
  }

  /** The generation prompt for a setting of thinking. */
  prompt(thinking: ThinkingSetting): string {
    const { prompt } = this.#surroundings(thinking);
    return this.#hasArbitrarySpace ? prompt.trimStart() : prompt;
  }

  /** The end of a user's turn. */
  get userEnd(): string {
    return this.#surroundings('unset').userEnd;
  }

  /** The text around the assistant's turn. Throws AnalysisError if no user message can be rendered. */
  #surroundings(thinking: ThinkingSetting): TurnSurroundings {
    if (thinking !== 'unset' && this.thinkingVariables.length === 0) return this.#surroundings('unset');
    const known = this.#known.get(thinking);
    if (known !== undefined) return known;
    const found = this.#findSurroundings(thinking);
    this.#known.set(thinking, found);
    return found;
  }

  #findSurroundings(thinking: ThinkingSetting): TurnSurroundings {
    let base = this.#afterUser(this.render(null, thinking));
    for (const level of ['plain', 'none'] as const) {
      if (base !== null || this.#tools === 'none') break;
      this.#tools = level;
      base = this.#afterUser(this.render(null, thinking));
    }
    if (base === null) {
      throw new AnalysisError({
        template: this.name,
        probe: 'user',
        reason: `the user's message is not rendered: this is not a chat template${this.#refusal === '' ? '' : `: ${this.#refusal}`}`,
      });
    }
    const opened = this.#afterUser(this.render(null, thinking, { add_generation_prompt: true })) ?? base;
    const full = this.#afterUser(this.render({ id: 'content', content: this.sentinels.content }, thinking));
    return this.#switchedOn(thinking, base, full ?? base) ?? this.#splitAround(base, opened, full ?? base);
  }

  /** Text that a setting of thinking adds to the end of every conversation counts as the generation prompt. */
  #switchedOn(thinking: ThinkingSetting, base: string, full: string): TurnSurroundings | null {
    if (thinking === 'unset') return null;
    const { userEnd, prompt } = this.#surroundings('unset');
    const added = base.slice(userEnd.length);
    if (prompt !== '' || added.trim() === '' || !base.startsWith(userEnd)) return null;
    return full.endsWith(added) && full !== base ? { userEnd, tail: added, prompt: added } : null;
  }

  /**
   * Compares renders after the user's text: `base` without an answer, `opened` with a generation prompt, `full` with
   * an answer. With `<a>` for the prompt, `C` for the answer:
   *
   *     base         opened          full
   *     Hi⏎<a>       Hi⏎<a>          Hi⏎<a>C⏎<a>   always opened
   *     Hi</s>       Hi<a>           Hi<a>C</s>    the prompt replaces an end, which follows the answer
   *     Hi⏎          Hi⏎             HiC⏎          white space that the answer comes before, or replaces
   *     Hi⏎          Hi⏎<a>          Hi⏎<a>C       appended
   *     Hi</s>       Hi</s><a>       Hi<a>C</s>    inserted before an end
   */
  #splitAround(base: string, opened: string, full: string): TurnSurroundings {
    const beforeContent = full.slice(0, Math.max(0, full.indexOf(this.sentinels.content)));
    if (opened === base) {
      const cut = this.#alwaysOpened(base, full, beforeContent);
      if (cut !== null)
        return { userEnd: base.slice(0, cut), tail: base.slice(cut), prompt: base.slice(cut) };
    }
    // The question's branch writes the header of the answer if nothing follows it.
    if (opened === base && base.trim() !== '' && !full.startsWith(base) && beforeContent.endsWith(base)) {
      const userEnd = beforeContent.slice(0, beforeContent.length - base.length);
      return { userEnd, tail: '', prompt: base };
    }
    // An end and the prompt in its place may begin alike: `</s>`, `<a>`.
    const shared = opened.startsWith(base) ? base : commonTokens(opened, base);
    const replaced = base.slice(shared.length);
    if (replaced !== '' && full.startsWith(shared) && full.endsWith(replaced))
      return { userEnd: shared, tail: replaced, prompt: opened.slice(shared.length) };
    const prompt = opened.startsWith(base) ? opened.slice(base.length) : '';
    const isAppended = full.startsWith(base);
    const trimmed = base.trimEnd();
    const blank = base.slice(trimmed.length);
    if (prompt === '' && !isAppended && full.startsWith(trimmed))
      return { userEnd: trimmed, tail: full.endsWith(blank) ? blank : '', prompt };
    if (isAppended || prompt === '') return { userEnd: base, tail: '', prompt };
    const cut = insertionPoint(base, full, tokens(prompt)[0] ?? '');
    const isInserted = full.startsWith(base.slice(0, cut)) && full.endsWith(base.slice(cut));
    // White space after the question that the template's own layout leaves there, and not before an answer.
    if (!isInserted && full.startsWith(trimmed))
      return { userEnd: trimmed, tail: '', prompt: opened.slice(trimmed.length) };
    return { userEnd: base.slice(0, cut), tail: base.slice(cut), prompt };
  }

  /** Start of the generation prompt in the base render of a template that always adds it. */
  #alwaysOpened(base: string, full: string, beforeContent: string): number | null {
    if (base.trim() === '' || full === base) return null;
    const shared = commonSuffixLength([base, full]);
    const opener = tokens((this.render(null) ?? '').replace(this.sentinels.bos, '').trimStart())[0] ?? '';
    const at = [...tokenEdges(base)].find((edge) => opener !== '' && base.startsWith(opener, edge)) ?? -1;
    const ends = at > 0 ? [at] : [this.#endOfAnswer(base), at];
    const end = ends.find(
      (cut) => cut >= 0 && base.length - cut <= shared && beforeContent.startsWith(base.slice(0, cut)),
    );
    if (end !== undefined) return end;
    const rest = beforeContent.startsWith(base) ? beforeContent.slice(base.length) : null;
    if (shared < base.trimStart().length || rest === null || rest.trim() !== '') return null;
    return base.length - base.trimStart().length;
  }

  /** End of the end-of-turn in `base` that both a question and an answer have before the next question; -1 if none. */
  #endOfAnswer(base: string): number {
    const { content } = this.sentinels;
    const turns =
      this.#afterUser(this.render({ id: 'content-then-user', content, followedBy: 'user' })) ?? '';
    const shared = commonPrefixLength([base, turns.slice(turns.indexOf(content) + content.length)]);
    const opens = (edge: number) => firstMarker(base.slice(edge)) !== '';
    const end = [...tokenEdges(base)].findLast((edge) => edge > 0 && edge <= shared && opens(edge)) ?? -1;
    return base.slice(0, end).trim() === '' ? -1 : end;
  }

  /** Names of the template variables that switch thinking. */
  get thinkingVariables(): readonly string[] {
    return thinkingSwitches(this.#template).map(({ name }) => name);
  }

  #thinkingVariables(thinking: ThinkingSetting): Readonly<Record<string, SwitchValue>> {
    if (thinking === 'unset') return {};
    const switches = thinkingSwitches(this.#template);
    return Object.fromEntries(switches.map((each) => [each.name, each[thinking]]));
  }

  #afterUser(render: string | null): string | null {
    const at = render?.lastIndexOf(this.sentinels.user) ?? -1;
    if (render === null || at < 0) return null;
    const text = render.slice(at + this.sentinels.user.length);
    if (text.length <= maxTurnLength) return text;
    this.#refusal = `more than ${maxTurnLength} characters follow a short message`;
    return null;
  }

  #upToFollower(text: string): string | null {
    const ends = [this.sentinels.laterUser, this.sentinels.toolResult].map((each) => text.indexOf(each));
    const end = ends.filter((each) => each >= 0).sort((a, b) => a - b)[0];
    return end === undefined ? null : text.slice(0, end);
  }
}

/** Where the turn was inserted into `base`: it begins with the first token of the generation prompt. */
function insertionPoint(base: string, full: string, opener: string): number {
  const before = commonPrefixLength([base, full]);
  const after = commonSuffixLength([base, full]);
  const edges = [...tokenEdges(base)].filter((cut) => cut <= before && base.length - cut <= after);
  return edges.find((cut) => full.startsWith(opener, cut)) ?? edges.at(-1) ?? before;
}
