/** Attempts to render: a template that refuses a conversation gives an answer, not an error. */
import { unless } from '../../format/error-class.ts';
import { TemplateError } from '../../format/errors.ts';
import type { ObservedRender, Template, TemplateVariables } from '../parsed-template.ts';

/** Attempts use a fixed time, so that renders only differ in what is tested. */
const attemptTime = new Date(2000, 0, 1);

const attemptDefaults = {
  bos_token: '',
  eos_token: '',
  functions: '[]',
  datetime: '',
  add_generation_prompt: false,
};

/** A render, or `null` if the template refuses. Throws TemplateLimitError. */
export function tryRender(
  template: Template,
  variables: TemplateVariables,
  now: Date = attemptTime,
): string | null {
  return unless(TemplateError, () => template.render({ ...attemptDefaults, ...variables }, { now }));
}

/** An observed render, or `null` if the template refuses. Throws TemplateLimitError. */
export function tryObserve(template: Template, variables: TemplateVariables): ObservedRender | null {
  return unless(TemplateError, () =>
    template.renderObserved({ ...attemptDefaults, ...variables }, { now: attemptTime }),
  );
}
