/** The tools of `idiolect chat`: they are really executed, here, and change nothing. */

import { randomInt } from 'node:crypto';
import { ToolError } from '../../format/errors.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { defineTool } from '../../tools/tools.ts';
import { calculate } from './calculate.ts';

/** A clock, a calculator and dice. */
export const chatTools = [
  defineTool({
    name: 'current_time',
    description: 'The current date and time.',
    parameters: {
      type: 'object',
      properties: {
        timezone: {
          type: 'string',
          maxLength: 40,
          description: 'IANA time zone such as Europe/Bern; the local one if absent',
        },
      },
      additionalProperties: false,
    },
    execute: ({ timezone }) => currentTime(new Date(), timezone),
  }),
  defineTool({
    name: 'calculate',
    description: 'Works out an arithmetic expression.',
    parameters: {
      type: 'object',
      properties: {
        expression: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'Numbers, + - * / % ^ and parentheses: (2 + 3) * 4',
        },
      },
      required: ['expression'],
      additionalProperties: false,
    },
    execute: ({ expression }) => String(calculate(expression)),
  }),
  defineTool({
    name: 'roll_dice',
    description: 'Rolls dice.',
    parameters: {
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 20, description: 'How many dice' },
        sides: { type: 'integer', minimum: 2, maximum: 100, description: 'Sides of each die' },
      },
      required: ['count', 'sides'],
      additionalProperties: false,
    },
    execute: ({ count, sides }) =>
      JSON.stringify(Array.from({ length: count }, () => randomInt(1, sides + 1))),
  }),
];

/** A time in words. Throws `ToolError` for an unknown time zone. */
export function currentTime(now: Date, timeZone?: string): string {
  try {
    const options = { dateStyle: 'full', timeStyle: 'long', timeZone } as const;
    return new Intl.DateTimeFormat('en-GB', withoutUndefined(options)).format(now);
  } catch {
    const reason = `there is no time zone ${JSON.stringify(timeZone)}; names are like Europe/Bern`;
    throw new ToolError({ tool: 'current_time', reason });
  }
}
