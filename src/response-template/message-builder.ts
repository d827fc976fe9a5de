/** Assembles the values of regions to a message. */
import { ResponseFieldError } from '../format/errors.ts';
import type { JsonValue } from '../format/messages.ts';
import { isTruthy, pythonTypeName } from './python-values.ts';
import type { LoadedTemplate, Region } from './region.ts';
import type { FieldValue, TemplateMessage } from './template.ts';
import { objectFrom } from './transform.ts';

/** Collects values, and omits empty ones at the end. */
export class MessageBuilder {
  readonly #template: LoadedTemplate;
  readonly #values = new Map<string, JsonValue>();
  /** Arrays that are still growing. */
  readonly #lists = new Map<string, JsonValue[]>();

  constructor(template: LoadedTemplate) {
    this.#template = template;
    for (const [key, value] of template.defaults) this.#values.set(key, structuredClone(value));
  }

  /**
   * Adds the value of a region.
   *
   * @throws {ResponseFieldError} when values that are not texts should be joined.
   */
  add(field: Region, value: FieldValue): void {
    const before = this.#values.get(field.name);
    if (field.join !== null) {
      if (typeof value !== 'string') {
        const reason = `only texts can be joined, got ${pythonTypeName(value)}`;
        throw new ResponseFieldError({ field: field.name, reason, raw: '' });
      }
      this.#values.set(field.name, typeof before === 'string' ? before + field.join + value : value);
    } else if (field.repeats) {
      this.#listOf(field.name, before).push(value);
    } else {
      this.#values.set(field.name, value);
    }
  }

  #listOf(name: string, before: JsonValue | undefined): JsonValue[] {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const list: JsonValue[] = Array.isArray(before) ? [...before] : [];
    this.#lists.set(name, list);
    this.#values.set(name, list);
    return list;
  }

  /** Required fields whose regions never came. */
  missing(): readonly string[] {
    const fields = this.#template.fields.filter((field) => !field.optional && !this.#values.has(field.name));
    return fields.map((field) => field.name);
  }

  /** The message: keys of the defaults are kept, others only if they are not empty. */
  finish(): TemplateMessage {
    return objectFrom(
      [...this.#values].filter(([key, value]) => this.#template.defaults.has(key) || !isEmpty(value)),
    ) as TemplateMessage;
  }
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === '' || (typeof value === 'object' && !isTruthy(value));
}
