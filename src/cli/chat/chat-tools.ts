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
          description: 'IANA time zone such as Europe/Zurich or Asia/Tokyo; the local one if absent',
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
    execute: ({ expression }) => ({ value: calculate(expression) }),
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
    execute: ({ count, sides }) => Array.from({ length: count }, () => randomInt(1, sides + 1)),
  }),
];

/** A moment in a time zone. */
interface LocalTime {
  /** `20:09` */
  readonly time: string;
  /** `Friday, 27 November 2026` */
  readonly date: string;
  /** `CET` */
  readonly zone: string;
}

/**
 * The time there, in parts, because small models copy single values. Throws `ToolError` for an unknown time zone; a city
 * that names one will do.
 */
export function currentTime(now: Date, timeZone?: string): LocalTime {
  try {
    const zone = timeZone === undefined ? undefined : (zoneOfCity(timeZone) ?? timeZone);
    const format = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en-GB', withoutUndefined({ ...options, timeZone: zone }));
    const parts = format({ timeZoneName: 'short' }).formatToParts(now);
    return {
      time: format({ hour: '2-digit', minute: '2-digit' }).format(now),
      date: format({ dateStyle: 'full' }).format(now),
      zone: parts.find(({ type }) => type === 'timeZoneName')?.value ?? '',
    };
  } catch {
    const reason = `there is no time zone ${JSON.stringify(timeZone)}; similar are ${similarZones(timeZone ?? '').join(', ')}`;
    throw new ToolError({ tool: 'current_time', reason });
  }
}

/** The only time zone that is named after a city. */
function zoneOfCity(city: string): string | undefined {
  const end = `/${city.trim().replaceAll(' ', '_').toLowerCase()}`;
  const [zone, ...others] = Intl.supportedValuesOf('timeZone').filter((each) =>
    each.toLowerCase().endsWith(end),
  );
  return others.length === 0 ? zone : undefined;
}

/** Time zones that exist and begin alike: of the same place elsewhere, or else of the same area. */
export function similarZones(timeZone: string): readonly string[] {
  const [area = '', city = area] = timeZone.split(/\/(.*)/s, 2).map((part) => part.toLowerCase());
  const score = (zone: string): number => {
    const [itsArea = '', itsCity = ''] = zone.toLowerCase().split(/\/(.*)/s, 2);
    return 2 * commonLength(itsCity, city.replaceAll(' ', '_')) + (itsArea === area ? 1 : 0);
  };
  const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({ zone, like: score(zone) }));
  return zones
    .sort((a, b) => b.like - a.like)
    .slice(0, 3)
    .map(({ zone }) => zone);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charAt(length) === b.charAt(length)) length += 1;
  return length;
}
