/** A parsed template, as its users know it: what it renders, and what a render read. */
import type { Steps } from '../language/expression/steps.ts';
import type { TextSpan } from './values/traced-text.ts';
import type { ReadKind } from './values/values.ts';

/** Values for a template's variables: any JSON. They are copied, never changed. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/** Options of a render. */
export interface RenderOptions {
  /** The time for `strftime_now`, in the local time zone; default: the actual time. */
  readonly now?: Date;
}

/**
 * The parts of the input that a render read, by path (`tools[0].function.name`), and how. `value`: a scalar was
 * fetched. `iterated`: a container's elements were visited. `tested`: a container was fetched, measured or tested for
 * a key. `absent`: it was requested and does not exist.
 */
type Reads = ReadonlyMap<string, ReadonlySet<ReadKind>>;

/** A render, and what it read. */
export interface ObservedRender {
  readonly text: string;
  readonly reads: Reads;
}

/** A parsed chat template. */
export interface Template {
  /** Its source: a file name, a model, or `template`. */
  readonly name: string;
  readonly source: string;
  /** Names that the template reads anywhere, including in branches that no render takes. */
  readonly names: ReadonlySet<string>;
  /** Strings with which it compares a member `type` anywhere: `thinking` of `part.type == 'thinking'`. */
  readonly comparedTypes: ReadonlySet<string>;
  /** Renders the template. Throws TemplateError or TemplateLimitError. */
  render(variables: TemplateVariables, options?: RenderOptions): string;
  /** Renders the template, and reports what it read. Throws the errors of `render`. */
  renderObserved(variables: TemplateVariables, options?: RenderOptions): ObservedRender;
  /**
   * Renders the template, and reports for every character whether the source or the variables wrote it. Changes of
   * single characters (case, escapes) keep their origin. If origins cannot be distinguished, as in the JSON or the
   * `repr` of a value, everything counts as data. Numbers, booleans and `None` count as the template's, as does
   * `OwnText`. Throws the errors of `render`.
   */
  renderSpans(variables: TemplateVariables, options?: RenderOptions): readonly TextSpan[];
  /** `render` in steps. */
  renderSteps(variables: TemplateVariables, options?: RenderOptions): Steps<string>;
  /** `renderSpans` in steps. */
  renderSpansSteps(variables: TemplateVariables, options?: RenderOptions): Steps<readonly TextSpan[]>;
}
