/** The ways in which an answer quotes a call. */

/** What a quotation is made of. */
export interface Quoted {
  /** A whole call, as the format writes it. */
  readonly call: string;
  /** The same with names in angle brackets or capitals, as documentation writes them. */
  readonly placeholder: string;
  /** The call up to the tool's name. */
  readonly beginning: string;
}

/** Kinds of quotations, and an answer of each. */
export const quotations: Readonly<Record<string, (quoted: Quoted) => string>> = {
  'a code span': ({ call }) => `A call is written as \`${call}\` in this format.`,
  'a code span at the beginning': ({ call }) => `\`${call}\` is a call.`,
  'a longer code span': ({ call }) => `Write \`\`${call}\`\` for it.`,
  'a fence': ({ call }) => `Here is one:\n\n\`\`\`\n${call}\n\`\`\`\n\nReplace the city.`,
  'a fence with a language': ({ call }) => `So:\n\n\`\`\`xml\n${call}\n\`\`\``,
  'a fence of tildes': ({ call }) => `So:\n\n~~~\n${call}\n~~~\nThat is all.`,
  'a fence in a list': ({ call }) =>
    `1. Write this:\n   \`\`\`\n   ${call.replaceAll('\n', '\n   ')}\n   \`\`\`\n2. Wait.`,
  'a string of Python in a fence': ({ call }) => `Test it:\n\n\`\`\`python\ntext = '''${call}'''\n\`\`\`\n`,
  'straight quotation marks': ({ call }) => `You wrote "${call}" in your message; why?`,
  'curly quotation marks': ({ call }) => `You wrote “${call}” in your message; why?`,
  'low quotation marks': ({ call }) => `Du schriebst „${call}“; warum?`,
  'a table': ({ call }) => `| form | meaning |\n|---|---|\n| \`${call}\` | a call |\n`,
  'a block quote': ({ call }) => `He wrote:\n\n> ${call.replaceAll('\n', '\n> ')}\n\nWhy?`,
  'indented code': ({ call }) => `It is:\n\n    ${call.replaceAll('\n', '\n    ')}\n\nThat is all.`,
  'a difference in a fence': ({ call }) =>
    `The change:\n\n\`\`\`diff\n-nothing\n+${call.replaceAll('\n', '\n+')}\n\`\`\``,
  'an echo of a result': ({ call }) =>
    `The file holds:\n\n\`\`\`\n1: # Calls\n2: ${call.replaceAll('\n', '\n3: ')}\n\`\`\`\n\nShall I go on?`,
  'a result in JSON': ({ call }) =>
    `The tool returned {"ok": true, "text": ${JSON.stringify(call)}}, as expected.`,
  'placeholders in a fence': ({ placeholder }) =>
    `Calls have this form:\n\n\`\`\`\n${placeholder}\n\`\`\`\n\nReplace the names.`,
  'an escaped string': ({ call }) => `As a string it is ${JSON.stringify(call)}, I think.`,
  'the beginning of a call in a code span': ({ beginning }) =>
    `The text \`${beginning}\` begins a call of that tool.`,
};
