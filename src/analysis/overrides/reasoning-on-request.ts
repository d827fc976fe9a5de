import type { FormatOverride } from './format-override.ts';

/** Reasoning that only the system prompt speaks of. */
export const reasoningOnRequest: FormatOverride = {
  reason:
    'A switch adds the request to think in these tags to the system prompt; neither a generation prompt nor a finished turn ever holds them.',
  templates: [
    '3c71df5f659987462c882bf9e295b597dc19902467a7312ea382c5896681bc02',
    '8a58e18acd9ca00a43a285fe6ba3760efbda06b5ab7fb57875bfacd72957ed5e',
  ],
  format: {
    reasoning: { start: '<think>', end: '</think>', empty: '', preserved: 'never', basis: 'override' },
    alternatives: { content: ['<response>'] },
  },
};
