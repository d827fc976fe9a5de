/** The tools on offer in one prompt: named, described and spelled in some way, in some order. */
import type { Tool } from '../../src/format/messages.ts';
import { bystanders, type Kind, kinds, type ParameterKind } from './kinds.ts';
import type { Random } from './random.ts';

/** A kind's tool as one prompt offers it. */
export interface Offer {
  readonly kind: Kind;
  readonly name: string;
  /** The parameters that this tool has, each with its name here. */
  readonly parameters: readonly {
    readonly parameter: ParameterKind;
    readonly name: string;
    readonly required: boolean;
  }[];
}

/** The beginning that many conversations share. */
export interface Header {
  readonly system: string | null;
  readonly tools: readonly Tool[];
  readonly offers: readonly Offer[];
}

const systems = [
  'You are a helpful assistant.',
  'You are a friendly assistant. Be brief.',
  'Answer in short sentences.',
  'You help the user with tools.',
  'Today is Monday.',
];

/** `easy`: one tool or two, and nothing that is not needed. */
export function makeHeader(random: Random, easy: boolean): Header {
  const system = random.chance(0.35) ? random.pick(systems) : null;
  const count = easy ? random.between(1, 2) : random.pick([0, 1, 2, 2, 3, 3, 3, 4, 4]);
  const style = easy ? plainStyle : makeStyle(random);
  const chosen = random.shuffle(kinds).slice(0, count);
  const offered = chosen.map((kind) => makeOffer(random, kind, style, easy));
  const tools = offered.map(({ tool }) => tool);
  if (!easy && count > 0 && count < 4 && random.chance(0.2)) tools.push(bystander(random, style));
  return { system, tools: random.shuffle(tools), offers: offered.map(({ offer }) => offer) };
}

/** How a client spells its tools. */
interface Style {
  readonly describesParameters: boolean;
  readonly describesTools: boolean;
  readonly closed: boolean;
  readonly titles: boolean;
  readonly requiredFirst: boolean;
  readonly bounds: boolean;
  /** Says which draft its schemas are written in, as AI SDK does. */
  readonly draft: boolean;
  /** Marks its tools as strict, as clients of OpenAI do. */
  readonly strict: boolean;
  /** Gives each schema a title at its end, as MCP servers in Python do. */
  readonly named: boolean;
  /** Describes a tool after its parameters, as openai's helpers do. */
  readonly describedLast: boolean;
}

const plainStyle: Style = {
  describesParameters: false,
  describesTools: true,
  closed: false,
  titles: false,
  requiredFirst: false,
  bounds: false,
  draft: false,
  strict: false,
  named: false,
  describedLast: false,
};

function makeStyle(random: Random): Style {
  return {
    describesParameters: random.chance(0.5),
    describesTools: random.chance(0.92),
    closed: random.chance(0.5),
    titles: random.chance(0.08),
    requiredFirst: random.chance(0.1),
    bounds: random.chance(0.15),
    draft: random.chance(0.12),
    strict: random.chance(0.12),
    named: random.chance(0.08),
    describedLast: random.chance(0.15),
  };
}

function makeOffer(random: Random, kind: Kind, style: Style, easy: boolean): { tool: Tool; offer: Offer } {
  const name = random.pick(kind.tools);
  const parameters = kind.parameters
    .filter(({ fallback }) => fallback === undefined || (!easy && random.chance(0.35)))
    .map((parameter) => ({
      parameter,
      name: random.pick(parameter.names),
      required: parameter.fallback === undefined || random.chance(0.5),
    }));
  const properties = Object.fromEntries(
    parameters.map(({ parameter, name }) => [name, propertySchema(random, parameter, name, style)]),
  );
  const required = parameters.filter((each) => each.required).map((each) => each.name);
  const description = random.pick(kind.descriptions);
  const tool = makeTool(name, style.describesTools ? description : undefined, properties, required, style);
  return { tool, offer: { kind, name, parameters } };
}

function propertySchema(random: Random, parameter: ParameterKind, name: string, style: Style): object {
  return {
    ...(style.titles && { title: name.charAt(0).toUpperCase() + name.slice(1) }),
    ...parameter.schema,
    ...(style.bounds && parameter.schema.type === 'string' && !parameter.schema.enum && { minLength: 1 }),
    ...(style.bounds &&
      parameter.schema.type === 'integer' && { minimum: 1, maximum: random.pick([600, 1000]) }),
    ...(style.describesParameters && { description: random.pick(parameter.descriptions) }),
  };
}

function makeTool(
  name: string,
  description: string | undefined,
  properties: object,
  required: readonly string[],
  style: Style,
): Tool {
  const parameters = {
    ...(style.draft && { $schema: 'http://json-schema.org/draft-07/schema#' }),
    type: 'object',
    ...(style.requiredFirst && { required }),
    properties,
    ...(!style.requiredFirst && { required }),
    ...(style.closed && { additionalProperties: false }),
    ...(style.named && { title: `${name}Arguments` }),
  };
  const described = description !== undefined && { description };
  const strict = style.strict && { strict: true };
  const inOrder = style.describedLast ? { parameters, ...described } : { ...described, parameters };
  return { type: 'function', function: { name, ...inOrder, ...strict } } as unknown as Tool;
}

function bystander(random: Random, style: Style): Tool {
  const { name, description, parameters } = random.pick(bystanders);
  const properties = Object.fromEntries(parameters.map((key) => [key, { type: 'string' }]));
  return makeTool(name, description, properties, parameters, style);
}
