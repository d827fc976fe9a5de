/** How a conversation is rendered: as text, or as spans that record which of it the template wrote. */
import type { Steps } from '../../language/expression/steps.ts';
import type { RenderOptions, Template } from '../parsed-template.ts';
import type { TextSpan } from '../template.ts';

/** The operations on a render of one kind. Positions are in UTF-16 units. */
export interface RenderKind<Render> {
  render(template: Template, variables: Record<string, unknown>, clock: RenderOptions): Steps<Render>;
  text(rendered: Render): string;
  slice(rendered: Render, start: number, end: number): Render;
  join(parts: readonly Render[]): Render;
  /** A render of one span. */
  of(span: TextSpan): Render;
}

/** Renders to a text. */
export const asText: RenderKind<string> = {
  render: (template, variables, clock) => template.renderSteps(variables, clock),
  text: (rendered) => rendered,
  slice: (rendered, start, end) => rendered.slice(start, end),
  join: (parts) => parts.join(''),
  of: ({ text }) => text,
};

/** Renders to spans. */
export const asSpans: RenderKind<readonly TextSpan[]> = {
  render: (template, variables, clock) => template.renderSpansSteps(variables, clock),
  text: (spans) => spans.map(({ text }) => text).join(''),
  slice: (spans, start, end) => {
    let place = 0;
    return spans.flatMap(({ text, origin }) => {
      const part = text.slice(Math.max(0, start - place), Math.max(0, end - place));
      place += text.length;
      return part === '' ? [] : [{ text: part, origin }];
    });
  },
  join: (parts) => mergeSpans(parts.flat()),
  of: (span) => [span],
};

function mergeSpans(spans: readonly TextSpan[]): readonly TextSpan[] {
  const merged: TextSpan[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last?.origin === span.origin) merged[merged.length - 1] = { ...span, text: last.text + span.text };
    else if (span.text !== '') merged.push(span);
  }
  return merged;
}
