/**
 * Which room of `src` may import from which: only from itself and from the rooms under it. `docs/data-flow.md`
 * is the map. `npm run lint` checks these rules.
 */

/** From the ground to the roof. */
const rooms = [
  'format',
  'layout',
  'language',
  'parser',
  'tools',
  'json-schema',
  'masks',
  'codegen',
  'grammar',
  'template',
  'analysis',
  'generate',
  'response-template',
  'hub',
  'runtime',
  'servers',
  'transformers',
  'mcp',
  'ai-sdk',
  'serve',
  'testing',
  'cli',
];

/** Everything that runs in a browser: all but these. */
const nodeRooms = '^src/(hub|serve|cli|runtime/node-llama-cpp)/';

/** Packages that `scripts/bundle.ts` puts into the bundle, and that nobody has to install. */
const bundled = 'node_modules/(?:ajv|ajv-formats|ohm-js|hono|@hono/node-server|@huggingface/(?:gguf|hub))/';

/** An optional peer that is not installed here, since it is too large. */
const peer = '^@huggingface/transformers$';

const noImportUpwards = rooms.map((room, floor) => ({
  name: `${room}-imports-upwards`,
  comment: `src/${room} imports only from itself and from the rooms under it.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: `^src/(?:index\\.ts$|(?:${rooms.slice(floor + 1).join('|')})/)` },
}));

export default {
  forbidden: [
    ...noImportUpwards,
    {
      name: 'schemas-without-chats',
      comment:
        'The compiler of schemas needs of a format how arguments are written, and nothing else: no turns, no calls.',
      severity: 'error',
      from: { path: '^src/json-schema/' },
      to: {
        path: '^src/format/',
        pathNot:
          '^src/format/(?:argument-notation|error-class|errors|groups|json-values|memoize|messages|option-rules|write-values)\\.ts$',
      },
    },
    {
      name: 'loose-file',
      comment:
        'Only index.ts lies at the top of src; every other file belongs to a room that is listed here.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(?:index\\.ts$|(?:${rooms.join('|')})/)` },
      to: {},
    },
    {
      name: 'node-in-the-browser',
      comment: 'What runs in a browser imports nothing of Node.',
      severity: 'error',
      from: { path: '^src/', pathNot: nodeRooms },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'engine-everywhere',
      comment:
        'Only its own folder knows node-llama-cpp; everything else knows src/runtime/engine/engine.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/runtime/node-llama-cpp/' },
      to: { path: 'node_modules/node-llama-cpp' },
    },
    {
      name: 'one-engine-in-all',
      comment: 'What all engines share knows none of them.',
      severity: 'error',
      from: { path: '^src/runtime/(?:chat|engine)/' },
      to: { path: '^src/runtime/node-llama-cpp/' },
    },
    {
      name: 'chat-knows-engines',
      comment: 'What servers share with engines knows no engine.',
      severity: 'error',
      from: { path: '^src/runtime/chat/' },
      to: { path: '^src/runtime/engine/' },
    },
    {
      name: 'circle-at-run-time',
      comment: 'Modules that import each other depend on the order in which they are loaded.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'circle-of-types',
      comment: 'Two files that need each other’s types are easier to read when one of them owns the types.',
      severity: 'error',
      from: {},
      to: { circular: true, via: { dependencyTypes: ['type-only'] } },
    },
    {
      name: 'not-installed',
      comment: 'Every import leads somewhere, and every package is named in package.json.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer'],
        pathNot: [bundled, peer],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
