/** Tools as somebody types them. */

/** What the field of the tools begins with when it is opened. */
export const exampleTools = `[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "description": "The weather in a city.",
      "parameters": {
        "type": "object",
        "properties": {
          "city": { "type": "string" },
          "days": { "type": "integer", "minimum": 1, "maximum": 7 },
          "unit": { "enum": ["celsius", "fahrenheit"] }
        },
        "required": ["city"],
        "additionalProperties": false
      }
    }
  }
]`;

/** The tools, or what is wrong with the text. What is in a tool is the server's to judge. */
export function readTools(text: string): {
  readonly tools: readonly unknown[];
  readonly problem: string | null;
} {
  if (text.trim() === '') return { tools: [], problem: null };
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { tools: value, problem: null };
    return { tools: [], problem: 'Tools are a JSON array.' };
  } catch (error) {
    return { tools: [], problem: error instanceof Error ? error.message : String(error) };
  }
}
