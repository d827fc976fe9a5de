/** The offered tools, as the parser needs them: names, and schemas of arguments. */
import { ToolListError } from '../format/errors.ts';
import type { Tool } from '../format/messages.ts';
import { anywhere, meansAbsent, propertyNames, type SchemaPlace } from './steps/schema-place.ts';

const none: ReadonlySet<string> = new Set();

/** Tools by name. */
export class ToolTable {
  /** Whether the caller listed the tools; otherwise every name is acceptable. */
  readonly known: boolean;
  /** In UTF-16 units; 0 without tools. */
  readonly maxNameLength: number;
  private readonly tools = new Map<string, Tool>();
  private readonly places = new Map<string, SchemaPlace>();
  private readonly absentNames = new Map<string, ReadonlySet<string>>();

  constructor(tools: readonly Tool[] | undefined) {
    this.known = tools !== undefined;
    refuseOtherShapes(tools ?? []);
    for (const tool of tools ?? []) {
      const { name, parameters: schema } = tool.function;
      this.tools.set(name, tool);
      if (schema !== undefined) this.places.set(name, { schema, root: schema });
    }
    this.maxNameLength = Math.max(0, ...Array.from(this.tools.keys(), (name) => name.length));
  }

  /** How many tools there are. */
  get size(): number {
    return this.tools.size;
  }

  /** Whether a tool has exactly this name. */
  has(name: string): boolean {
    return this.tools.has(name);
  }

  /** The names of the tools. */
  names(): readonly string[] {
    return [...this.tools.keys()];
  }

  /** Whether some tool's name begins with `text`. */
  beginsName(text: string): boolean {
    for (const name of this.tools.keys()) {
      if (name.startsWith(text)) return true;
    }
    return false;
  }

  /** Whether `text` ends with a beginning of a tool's name that continues with `marker`. */
  isNameBefore(marker: string, text: string): boolean {
    for (const name of this.tools.keys()) {
      for (let at = name.indexOf(marker); at !== -1; at = name.indexOf(marker, at + 1)) {
        if (text.endsWith(name.slice(0, at))) return true;
      }
    }
    return false;
  }

  /** Whether a tool's name occurs in the text as a whole word, with something after it. */
  isNamedIn(text: string): boolean {
    for (const name of this.tools.keys()) {
      for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
        const end = at + name.length;
        if (end < text.length && !isWord(text.charAt(at - 1)) && !isWord(text.charAt(end))) return true;
      }
    }
    return false;
  }

  /** The schema of a tool's arguments. */
  parameters(name: string): SchemaPlace {
    return this.places.get(name) ?? anywhere;
  }

  /** The arguments of a tool that are absent if they are `null`. */
  absentIfNull(name: string): ReadonlySet<string> {
    const place = this.places.get(name);
    if (place === undefined) return none;
    const known = this.absentNames.get(name);
    if (known !== undefined) return known;
    const names = new Set(propertyNames(place).filter((key) => meansAbsent(place, key)));
    this.absentNames.set(name, names);
    return names;
  }
}

function isWord(unit: string): boolean {
  return /[\w-]/.test(unit);
}

/** Generated modules may be used without `idiolect`, which accepts tools of other shapes. */
function refuseOtherShapes(tools: readonly Tool[]): void {
  const reason =
    'a tool must have the OpenAI shape { type, function: { name, parameters } }; normalizeTools() of idiolect converts other shapes';
  if (!Array.isArray(tools)) throw new ToolListError({ source: 'tools', reason });
  tools.forEach((tool: Partial<Tool> | null | undefined, index) => {
    if (typeof tool?.function?.name === 'string') return;
    throw new ToolListError({ source: 'tools', pointer: `/${index}`, reason });
  });
}
