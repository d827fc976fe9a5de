import type { FormatOverride } from './format-override.ts';

/** Channels whose headers may have the recipient, and what may follow it there. */
const channels = ['commentary', 'analysis'];
const constraints = ['', ' json', ' <|constrain|>json', '<|constrain|>json'];

/** Headers with recipient and channel in another order than in the history. */
export const channelSpellings: FormatOverride = {
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
