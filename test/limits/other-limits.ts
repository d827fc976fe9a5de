/** Limits that tests outside this folder show, and those that none shows yet. */

/** By `file name`, the test that states what is at the limit, below and above. */
export const elsewhere: Readonly<Record<string, string>> = {
  'cli/chat/calculate.ts maxDepth': 'test/cli/bounds.test.ts',
  'cli/chat/calculate.ts maxLength': 'test/cli/bounds.test.ts',
  'cli/mcp/http-connection.ts maxTries': 'test/cli/mcp-broken-streams.test.ts',
  'cli/model-source.ts maxNameLength': 'test/cli/bounds.test.ts',
  'generate/schema-for-types.ts maxDepth': 'test/generate/bounds.test.ts',
  'grammar/call-grammar.ts maxGap': 'test/grammar/bounds.test.ts',
  'grammar/call-grammar.ts maxIdLength': 'test/grammar/bounds.test.ts',
  'grammar/other-names.ts maxNameLength': 'test/grammar/bounds.test.ts',
  'grammar/structural-tag/listed-characters.ts maxListed': 'test/grammar/bounds.test.ts',
  'grammar/structural-tag/short-text.ts maxUnits': 'test/grammar/bounds.test.ts',
  'json-schema/document/decimal.ts maxMagnitude': 'test/json-schema/bounds.test.ts',
  'json-schema/document/schema-text.ts maxValues': 'test/json-schema/bounds.test.ts',
  'json-schema/validate/schema-size.ts maxParts': 'test/json-schema/bounds.test.ts',
  'language/backtracking/compile-pattern.ts maxInstructions': 'test/language/bounded-search.test.ts',
  'language/backtracking/bounded-search.ts maxSearchSteps': 'test/language/bounded-search.test.ts',
  'language/gbnf/engine-limits.ts maxAlternatives': 'test/language/bounds.test.ts',
  'language/gbnf/engine-limits.ts maxNesting': 'test/language/bounds.test.ts',
  'language/gbnf/engine-limits.ts maxRules': 'test/language/bounds.test.ts',
  'language/regular/counted.ts maxCount': 'test/language/bounds.test.ts',
  'language/regular/counted.ts maxRepetitions': 'test/language/bounds.test.ts',
  'mcp/close-schema.ts maxDepth': 'test/mcp/bounds.test.ts',
  'mcp/mcp-tools.ts maxPages': 'test/mcp/bounds.test.ts',
  'parser/markers/lookahead.ts maxLookahead': 'test/parser/lookahead.test.ts',
  'parser/markers/lookahead.ts maxNoise': 'test/parser/lookahead.test.ts',
  'parser/markers/lookahead.ts maxOpening': 'test/parser/lookahead.test.ts',
  'parser/markers/lookahead.ts maxWayToName': 'test/parser/lookahead.test.ts',
  'parser/markers/white-space.ts maxGap': 'test/parser/limits.test.ts',
  'response-template/casting.ts maxDepth': 'test/response-template/bounds.test.ts',
  'response-template/pattern/parse-regex.ts maxDepth': 'test/response-template/bounds.test.ts',
  'response-template/pattern/parse-regex.ts maxPatternLength': 'test/response-template/bounds.test.ts',
  'response-template/pattern/parse-regex.ts maxRepeat': 'test/response-template/bounds.test.ts',
};

/** Without a row and a test that states both sides. */
export const untested: readonly string[] = ['json-schema/objects/object-writer.ts maxProgress'];
