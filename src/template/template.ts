/** Chat templates: parsed once, rendered often, with the behaviour of Python's Jinja2. */
import { Template as JinjaTemplate } from '@huggingface/jinja';
import { TemplateError } from '../errors.ts';

/** Values for a template's variables; anything JSON can say. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/** Bounds for one render of an untrusted template. */
export interface TemplateLimits {
  /** Units of work. */
  readonly steps: number;
  /** Characters of output. */
  readonly output: number;
  /** Nested macro calls. */
  readonly depth: number;
}

/** How to parse a template. */
export interface TemplateOptions {
  /** Named in errors; default `template`. */
  readonly name?: string;
  /** Each bound states its own default. */
  readonly limits?: Partial<TemplateLimits>;
}

/** What one render may be told. */
export interface RenderOptions {
  /** What `strftime_now` reads; default: the time of the call. */
  readonly now?: Date;
}

/** A parsed chat template. */
export interface Template {
  /** Where it came from: a file name, a model, or `template`. */
  readonly name: string;
  readonly source: string;
  /** Renders the template. Throws TemplateError or TemplateLimitError. */
  render(variables: TemplateVariables, options?: RenderOptions): string;
}

/** Parses a chat template. Throws TemplateError of kind `syntax`. */
export function parseTemplate(source: string, options: TemplateOptions = {}): Template {
  const name = options.name ?? 'template';
  const fail = (kind: TemplateError['kind'], cause: unknown): TemplateError => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new TemplateError({ template: name, reason, kind, cause });
  };
  let parsed: JinjaTemplate;
  try {
    parsed = new JinjaTemplate(source);
  } catch (cause) {
    throw fail('syntax', cause);
  }
  return {
    name,
    source,
    render(variables) {
      try {
        return parsed.render({ ...variables });
      } catch (cause) {
        throw fail('runtime', cause);
      }
    },
  };
}
