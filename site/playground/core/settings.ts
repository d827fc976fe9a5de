/** What can be set in the page, and its form in an address. */
import type { ToyFormat } from '../../../src/testing/toy/templates.ts';

/** The settings of one response. */
export interface Settings {
  /** The tool as JSON: `name`, `description`, `parameters`. */
  readonly tool: string;
  readonly question: string;
  readonly format: ToyFormat;
  readonly choice: (typeof choices)[number];
  readonly temperature: number;
}

export const formats = ['json', 'tags', 'channels'] as const satisfies readonly ToyFormat[];
export const choices = ['auto', 'required', 'none'] as const;
export const hottest = 3;

/** A tool whose schema has these for a city and a number of days. */
export function weatherTool(city: object, days: object): string {
  const tool = {
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: {
      type: 'object',
      properties: {
        city,
        days: { type: 'integer', ...days },
        unit: { enum: ['celsius', 'fahrenheit'] },
      },
      required: ['city', 'days', 'unit'],
      additionalProperties: false,
    },
  };
  return JSON.stringify(tool, null, 2);
}

/** What the page begins with: the model wants Paris and 3, and the schema has neither. */
export const firstSettings: Settings = {
  tool: weatherTool({ enum: ['Bern', 'Oslo', 'Lima'] }, { minimum: 5, maximum: 9 }),
  question: 'What is the weather in Paris for 3 days?',
  format: 'json',
  choice: 'auto',
  temperature: 0,
};

/** What the page shows: a response of the toy, or a recorded one. */
export interface Place {
  readonly settings: Settings;
  /** The model whose response was recorded; `null` for the toy. */
  readonly recording: string | null;
}

/** The place as the fragment of an address, which browsers do not send. */
export function writePlace({ settings, recording }: Place): string {
  return recording === null ? writeFragment(settings) : String(new URLSearchParams({ recording }));
}

/** The place of a fragment. */
export function readPlace(fragment: string): Place {
  const recording = new URLSearchParams(fragment.replace(/^#/, '')).get('recording');
  return { settings: readFragment(fragment), recording };
}

/** The settings as the fragment of an address, which browsers do not send. */
export function writeFragment(settings: Settings): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) given.set(name, String(value));
  return given.toString();
}

/** The settings of a fragment; what is missing or wrong in it is as at first. */
function readFragment(fragment: string): Settings {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const temperature = Number(given.get('temperature') ?? Number.NaN);
  return {
    tool: given.get('tool') ?? firstSettings.tool,
    question: given.get('question') ?? firstSettings.question,
    format: formats.find((each) => each === given.get('format')) ?? firstSettings.format,
    choice: choices.find((each) => each === given.get('choice')) ?? firstSettings.choice,
    temperature: temperature >= 0 && temperature <= hottest ? temperature : firstSettings.temperature,
  };
}
