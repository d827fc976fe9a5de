/** Wraps a chat template in a tool format, or in one of the user's own. */
import { chatTemplate, requireOption } from '../../format/option-rules.ts';
import type { Template } from '../parsed-template.ts';
import { observeInputShape, shapeMessages } from '../prompt/input-shape.ts';
import { tryRender } from '../prompt/render-attempt.ts';
import { anySentinels } from '../prompt/sentinels.ts';
import { parseTemplate } from '../template.ts';
import { jsonList, type ToolFormat, tagged } from './tool-format.ts';
import { type ToolFormatOption, toolFormat } from './tool-format-option.ts';
import { wrapper } from './wrapper.ts';

/** The tool formats of the package. */
export const toolFormats: readonly ToolFormat[] = [jsonList, tagged];

/**
 * The chat template of a model that is to use this tool format: a template like any other, with a fingerprint of its
 * own, that renders conversations without tools as the given one does. Throws `UnsupportedOptionError` for an unknown
 * format, and `TemplateError`, with this name, if the template cannot be read.
 */
export function wrapTemplate(templateSource: string, format: ToolFormatOption, name = 'template'): string {
  requireOption('templateSource', templateSource, chatTemplate);
  requireOption('toolFormat', format, toolFormat);
  const source = toolFormats.find(({ name }) => name === format)?.source ?? format;
  const facts = JSON.stringify(observeSystem(parseTemplate(templateSource, { name })));
  // The format comes first, so that the lines of its errors are its own. Jinja drops the line break after a tag, so the
  // template begins as it does by itself.
  const parts = [source, `{%- set own_template = ${facts} %}`, wrapper].map((part) => part.trim());
  return [...parts, templateSource].join('\n');
}

/** What the wrapper has to know about the template. */
interface SystemFacts {
  readonly system_role: boolean;
  readonly system_parts: boolean;
  readonly system_message: string;
}

/** Whether a system message is rendered, and how, and which text stands in its place if there is none. */
function observeSystem(template: Template): SystemFacts {
  const { system, user } = anySentinels(template.source);
  const shape = observeInputShape(template);
  const render = (text: string | null, now?: Date) => {
    const messages = [...(text === null ? [] : [{ role: 'system' as const, content: text }]), question];
    return tryRender(template, { messages: shapeMessages(messages, shape) }, now);
  };
  const question = { role: 'user' as const, content: user };
  const [before, after] = render(system)?.split(system) ?? [];
  if (before === undefined || after === undefined)
    return { system_role: false, system_parts: false, system_message: '' };
  const asText = [{ role: 'system', content: system }, ...shapeMessages([question], shape)];
  const isText = tryRender(template, { messages: asText })?.includes(system) === true;
  const bare = render(null);
  const message = bare?.startsWith(before) ? bare.slice(before.length, bare.length - after.length) : '';
  // A text that names the day would be wrong tomorrow.
  const isOwn = message !== '' && render(message) === bare && render(null, anotherDay) === bare;
  return { system_role: true, system_parts: !isText, system_message: isOwn ? message : '' };
}

const anotherDay = new Date(2001, 5, 15);
