/** Overrides as data, one for each family of templates. */
import type { ChatFormat, Delimiters } from '../../format/chat-format.ts';

/** One override. */
interface FormatOverride {
  /** What it asserts, and why no render shows it. */
  readonly reason: string;
  /** Texts that occur in the source of every template of the family, including copies; all of them must be there. */
  readonly fragments: readonly string[];
  readonly format: Partial<Pick<ChatFormat, 'reasoning' | 'calls' | 'alternatives'>>;
  /** The markers of text before a call, if the template writes such text as thoughts. */
  readonly preamble?: Delimiters;
}

/** Calls as Python expressions in a list between two special tokens. */
const pythonicCalls: FormatOverride = {
  reason:
    'These templates list the tools and never render a call. A later template of the same family does, and these calls are what it shows.',
  fragments: ['<|im_start|>', 'List of tools: ', 'if tool is not string'],
  format: {
    calls: {
      section: { open: '<|tool_call_start|>[', close: ']<|tool_call_end|>' },
      sectionCloseOptional: false,
      call: { open: '', close: ')' },
      separator: ', ',
      parallel: true,
      head: [{ hole: 'name' }, '('],
      arguments: {
        kind: 'entries',
        open: '',
        close: '',
        entry: { open: '', key: '=', close: [] },
        separator: ', ',
        empty: '',
        frames: {
          string: { open: '', close: '', codec: 'python' },
          number: { open: '', close: '', codec: 'json' },
          boolean: { open: '', close: '', codec: 'python' },
          null: { open: '', close: '', codec: 'python' },
          array: { open: '', close: '', codec: 'python' },
          object: { open: '', close: '', codec: 'json' },
        },
        alternativeString: null,
        nested: null,
        style: { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
        sorted: false,
      },
      tail: [],
      envelope: null,
      id: null,
    },
  },
};

/** Calls as JSON objects in tags. */
const taggedJsonCalls: FormatOverride = {
  reason:
    'Some copies of the template neither render calls nor describe tools. The full template tells the model to write each call as a JSON object in these tags.',
  fragments: ['named SmolLM, trained by Hugging Face', '/no_think'],
  format: {
    calls: {
      section: { open: '', close: '' },
      sectionCloseOptional: false,
      call: { open: '<tool_call>\n', close: '\n</tool_call>' },
      separator: '\n',
      parallel: true,
      head: ['{"name": "', { hole: 'name' }, '", "arguments": '],
      arguments: {
        kind: 'json',
        encoding: 'value',
        style: { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
        empty: null,
      },
      tail: ['}'],
      envelope: { name: ['name'], arguments: ['arguments'], id: null, index: null },
      id: null,
    },
  },
};

/** Channels whose headers may have the recipient, and what may follow it there. */
const channels = ['commentary', 'analysis'];
const constraints = ['', ' json', ' <|constrain|>json', '<|constrain|>json'];

/** Headers with recipient and channel in another order than in the history. */
const channelSpellings: FormatOverride = {
  reason:
    'History shows one order of recipient, channel and content type. The format that the model was trained on allows the others, and preambles in the channel of calls.',
  fragments: ['<|channel|>analysis<|message|>', '<|channel|>commentary ', 'functions.'],
  preamble: { open: '<|channel|>commentary<|message|>', close: '<|end|><|start|>assistant' },
  format: {
    alternatives: {
      reasoning: ['<|channel|>commentary to=assistant<|channel|>analysis<|message|>'],
      content: ['<|channel|>final <|constrain|>json<|message|>'],
      calls: channels.flatMap((channel) =>
        constraints.flatMap((constraint) => [
          {
            open: ' to=functions.',
            head: [{ hole: 'name' }, `<|channel|>${channel}${constraint}<|message|>`],
          },
          {
            open: `<|channel|>${channel} to=functions.`,
            head: [{ hole: 'name' }, `${constraint}<|message|>`],
          },
        ]),
      ),
    },
  },
};

/** All overrides. */
export const overrides: readonly FormatOverride[] = [channelSpellings, pythonicCalls, taggedJsonCalls];
