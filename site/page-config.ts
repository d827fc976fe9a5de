/** What the pages of the inspector, the chat and the playground have in common: how they are built, and their heads. */
import path from 'node:path';
import type { HtmlTagDescriptor, Plugin, UserConfig } from 'vite';

/** The icon of every page, the documentation's too. */
export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b57a4'/%3E%3Cpath d='M6 4 3 8l3 4M10 4l3 4-3 4' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E";

/** What a page may load and ask for: sources by directive, of which `default-src` is nothing for all pages. */
export type Policy = Readonly<Record<`${string}-src`, string>>;

/** The configuration of the page in this folder of `site`, which becomes one of the same name in `dist`. */
export function pageConfig(folder: string, policy: Policy): UserConfig {
  return {
    root: folder,
    base: './',
    plugins: [head(policy)],
    resolve: { conditions: ['idiolect:source', 'module', 'browser'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    logLevel: 'warn',
    build: {
      outDir: path.join(folder, '../../dist', path.basename(folder)),
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 3000,
    },
  };
}

function head(policy: Policy): Plugin {
  const directives = { 'default-src': "'none'", ...policy, 'form-action': "'none'", 'base-uri': "'none'" };
  const content = Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
  const tags: readonly (readonly [tag: string, attrs: Record<string, string>])[] = [
    ['meta', { charset: 'utf-8' }],
    ['meta', { 'http-equiv': 'Content-Security-Policy', content }],
    ['meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
    ['link', { rel: 'icon', href: icon }],
  ];
  return {
    name: 'head',
    transformIndexHtml: () =>
      tags.map(([tag, attrs]): HtmlTagDescriptor => ({ tag, attrs, injectTo: 'head-prepend' })),
  };
}
