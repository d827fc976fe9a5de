/** The site; `scripts/site.ts` gathers its pages and builds it. */
import path from 'node:path';
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';

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
      ['Idiolect', '/README'],
      ['The inspector', '/docs/inspector'],
      ['Entry points', '/docs/entry-points'],
      ['Glossary', '/docs/glossary'],
      ['Troubleshooting', '/docs/troubleshooting'],
    ),
  },
  {
    text: 'Models',
    items: pages(
      ['Models in this process', '/docs/runtime'],
      ['Models on a server', '/docs/servers'],
      ['Serving models', '/docs/serve'],
      ['In the AI SDK', '/docs/ai-sdk'],
      ['The Hugging Face Hub', '/docs/hub'],
      ['The command', '/docs/cli'],
    ),
  },
  {
    text: 'How it works',
    items: pages(
      ['Data flow', '/docs/data-flow'],
      ['Probes', '/docs/probes'],
      ['Adding a model', '/docs/adding-a-model'],
      ['JSON Schema', '/docs/json-schema'],
      ['Leniency', '/docs/leniency'],
      ['Security', '/docs/security'],
    ),
  },
  {
    text: 'What is measured',
    items: pages(
      ['Models and engines', '/docs/matrix'],
      ['Deviations', '/docs/deviations'],
      ['Experiments', '/docs/experiments'],
    ),
  },
  {
    text: 'The project',
    items: pages(['Changelog', '/CHANGELOG'], ['Contributing', '/CONTRIBUTING'], ['Reporting', '/SECURITY']),
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

/** `llms.txt`. The plugin's types are those of another Vite than VitePress has. */
const plugins = [llmstxt({ ignoreFiles: ['api/**'] })] as unknown as NonNullable<
  NonNullable<UserConfig['vite']>['plugins']
>;

export default defineConfig({
  title: 'Idiolect',
  description: 'Reads how a model writes from its chat template: typed tool calls from any model.',
  lang: 'en',
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
      { text: 'Guide', link: '/README' },
      { text: 'API', link: '/api/' },
      { text: 'Inspector', link: '/inspect' },
    ],
    sidebar: { '/api/': entries, '/': guide },
    outline: 'deep',
    search: { provider: 'local' },
  },
});
