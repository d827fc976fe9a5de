/** The site; `scripts/site.ts` gathers its pages and builds it. */
import path from 'node:path';
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { icon } from '../../page-config.ts';

const cache = path.join(import.meta.dirname, '../../../.cache');

/** As GitHub makes anchors of headings: the pages of `docs/` are read there, too. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function pages(...items: readonly (readonly [text: string, link: string])[]): DefaultTheme.SidebarItem[] {
  return items.map(([text, link]) => ({ text, link }));
}

/** A page that others belong to; the menu opens them where one of them is read. */
function withParts(
  [text, link]: readonly [text: string, link: string],
  ...parts: readonly (readonly [text: string, link: string])[]
): DefaultTheme.SidebarItem {
  return { text, link, collapsed: true, items: pages(...parts) };
}

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: pages(
      ['Getting started', '/docs/getting-started'],
      ['Choosing a model', '/docs/models'],
      ['Which entry point', '/docs/entry-points'],
    ).concat(
      withParts(
        ['Troubleshooting', '/docs/troubleshooting'],
        ['Installing', '/docs/troubleshooting-installing'],
      ),
    ),
  },
  {
    text: 'Guides',
    items: pages(
      ['Tools and the loop', '/docs/tools'],
      ['Typed answers', '/docs/typed-answers'],
      ['Thinking', '/docs/thinking'],
      ['Long conversations', '/docs/long-conversations'],
      ['MCP', '/docs/mcp'],
    ).concat(
      withParts(
        ['Models on a server', '/docs/servers'],
        ['Their responses', '/docs/server-responses'],
        ['Several, and failures', '/docs/server-failures'],
      ),
      pages(['In a page', '/docs/browser'], ['With transformers.js', '/docs/transformers']),
      withParts(
        ['Another engine', '/docs/another-engine'],
        ['The parts', '/docs/parts'],
        ['Masks', '/docs/masks'],
      ),
      pages(['Ahead of time', '/docs/ahead-of-time']),
      withParts(
        ['Serving models', '/docs/serve'],
        ['Options and errors', '/docs/serve-options'],
        ["OpenAI's APIs", '/docs/serve-openai'],
        ["Anthropic's and Ollama's APIs", '/docs/serve-anthropic-and-ollama'],
        ['Operating a server', '/docs/operating'],
      ),
      pages(
        ['In the AI SDK', '/docs/ai-sdk'],
        ['Testing your app', '/docs/testing'],
        ['Platforms: Electron, Bun, Deno', '/docs/platforms'],
      ),
      withParts(['Downloads', '/docs/hub'], ['Their errors', '/docs/hub-errors']),
      withParts(
        ['Adding a model', '/docs/adding-a-model'],
        ['When a template cannot be read', '/docs/unreadable-templates'],
      ),
      pages(['Speed', '/docs/performance'], ['Many users', '/docs/scale']),
    ),
  },
  {
    text: 'Reference',
    items: pages(
      ['Options of loadModel', '/docs/loading'],
      ['Options of a chat', '/docs/chat-options'],
      ['Sampling', '/docs/sampling'],
      ['Events, messages and usage', '/docs/events'],
      ['Errors', '/docs/errors'],
    ).concat(
      withParts(
        ['The command', '/docs/cli'],
        ['Formats', '/docs/cli-formats'],
        ['Models', '/docs/cli-models'],
        ['Chat and serve', '/docs/cli-chat-and-serve'],
      ),
      withParts(
        ['JSON Schema', '/docs/json-schema'],
        ['Any value, arrays, objects', '/docs/json-schema-keywords'],
        ['Strings and numbers', '/docs/json-schema-scalars'],
        ['What is written', '/docs/json-schema-writing'],
        ['Budgets', '/docs/json-schema-budgets'],
      ),
      withParts(
        ['Leniency', '/docs/leniency'],
        ['Markers and text', '/docs/leniency-markers'],
        ['Examples', '/docs/leniency-examples'],
      ),
      pages(
        ['Names of the parts', '/docs/entry-points-parts'],
        ['The inspector', '/docs/inspector'],
        ['API', '/api/'],
      ),
    ),
  },
  {
    text: 'Explanation',
    items: pages(['What holds', '/docs/guarantees']).concat(
      withParts(
        ['Data flow', '/docs/data-flow'],
        ['Grammars and parsers', '/docs/data-flow-compilers'],
        ['Responses', '/docs/data-flow-responses'],
      ),
      withParts(
        ['Probes', '/docs/probes'],
        ['All probes', '/docs/probes-list'],
        ['Evidence', '/docs/probes-evidence'],
      ),
      withParts(
        ['Deviations', '/docs/deviations'],
        ['Response templates', '/docs/deviations-response-templates'],
        ['Makers of formats and servers', '/docs/deviations-makers'],
      ),
      pages(['Security', '/docs/security'], ['Glossary', '/docs/glossary']),
    ),
  },
  {
    text: 'The project',
    items: pages(
      ['Models and engines', '/docs/matrix'],
      ['Experiments', '/docs/experiments'],
      ['Changelog', '/CHANGELOG'],
      ['Contributing', '/CONTRIBUTING'],
      ['Judges and references', '/docs/judges'],
      ['Reporting', '/SECURITY'],
    ),
  },
];

/** Import paths; each page lists the names. */
const entries: DefaultTheme.SidebarItem[] = [
  {
    text: 'Import from',
    items: pages(
      ['idiolect', '/api/idiolect/'],
      ...[
        'node-llama-cpp',
        'engine',
        'masks',
        'servers',
        'ai-sdk',
        'serve',
        'mcp',
        'parser',
        'response-template',
        'hub',
        'testing',
      ].map((name) => [`idiolect/${name}`, `/api/idiolect/${name}/`] as const),
    ),
  },
];

/** How much a page counts in the search. */
function guidesFirst(page: string): number {
  if (page.includes('/api/')) return 0.3;
  return /experiments|CHANGELOG|deviations/.test(page) ? 0.5 : 1;
}

/** `llms.txt`. The plugin's types are those of another Vite than VitePress has. */
const plugins = [llmstxt({ ignoreFiles: ['api/**'] })] as unknown as NonNullable<
  NonNullable<UserConfig['vite']>['plugins']
>;

export default defineConfig({
  title: 'Idiolect',
  description: 'Reads how a model writes from its chat template: typed tool calls from any model.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: icon }]],
  srcDir: path.join(cache, 'site-source'),
  outDir: path.join(cache, 'site'),
  cacheDir: path.join(cache, 'vitepress'),
  // The old file of a page is worth nothing; dead links end the build.
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => {
      const write = md.renderer.rules.code_inline;
      // `{{ … }}` in code is Jinja; Vue would take it for an expression of its own.
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index]?.attrSet('v-pre', '');
        return write?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  vite: { plugins, logLevel: 'warn' },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/docs/getting-started' },
      { text: 'API', link: '/api/' },
      { text: 'Inspector', link: '/inspect' },
      { text: 'Playground', link: '/play' },
    ],
    sidebar: { '/api/': entries, '/': guide },
    outline: 'deep',
    // Guides before pages of single names.
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: guidesFirst } } } },
  },
});
