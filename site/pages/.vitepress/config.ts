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

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: pages(
      ['Getting started', '/docs/getting-started'],
      ['Choosing a model', '/docs/models'],
      ['Which entry point', '/docs/entry-points'],
      ['Troubleshooting', '/docs/troubleshooting'],
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
      ['Models on a server', '/docs/servers'],
      ['In a page', '/docs/browser'],
      ['With transformers.js', '/docs/transformers'],
      ['Another engine', '/docs/another-engine'],
      ['Masks', '/docs/masks'],
      ['Ahead of time', '/docs/ahead-of-time'],
      ['Serving models', '/docs/serve'],
      ['In the AI SDK', '/docs/ai-sdk'],
      ['Testing your app', '/docs/testing'],
      ['Platforms: Electron, Bun, Deno', '/docs/platforms'],
      ['Downloads', '/docs/hub'],
      ['Adding a model', '/docs/adding-a-model'],
      ['Speed', '/docs/performance'],
      ['Many users', '/docs/scale'],
    ),
  },
  {
    text: 'Reference',
    items: pages(
      ['Options of loadModel', '/docs/loading'],
      ['Options of a chat', '/docs/chat-options'],
      ['Events, messages and usage', '/docs/events'],
      ['Errors', '/docs/errors'],
      ['The command', '/docs/cli'],
      ['JSON Schema', '/docs/json-schema'],
      ['Leniency', '/docs/leniency'],
      ['The inspector', '/docs/inspector'],
      ['API', '/api/'],
    ),
  },
  {
    text: 'Explanation',
    items: pages(
      ['What holds', '/docs/guarantees'],
      ['Data flow', '/docs/data-flow'],
      ['Probes', '/docs/probes'],
      ['Deviations', '/docs/deviations'],
      ['Security', '/docs/security'],
      ['Glossary', '/docs/glossary'],
    ),
  },
  {
    text: 'The project',
    items: pages(
      ['Models and engines', '/docs/matrix'],
      ['Experiments', '/docs/experiments'],
      ['Changelog', '/CHANGELOG'],
      ['Contributing', '/CONTRIBUTING'],
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
