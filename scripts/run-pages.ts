/**
 * Runs the programs of the pages as people do: in a project with the packed package, next to a model file. The names
 * of models in them lead to the toy or to a model as small, and the addresses of servers to one on this machine.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { loadModel } from '../src/runtime/node-llama-cpp/index.ts';
import { toyModel } from '../src/testing/index.ts';
import { serveModel } from '../test/support/model-server.ts';
import { tinyBert } from '../test/support/tiny-bert.ts';
import { type PageProgram, pagePrograms } from './page-programs.ts';

const root = path.join(import.meta.dirname, '..');

/** Why the unnamed program of a page is compiled and not run. */
const compiledOnly: ReadonlyMap<string, string> = new Map([
  ['docs/another-engine.md', 'its engine is declared, not written'],
  ['docs/parts.md', 'its engine is declared, not written'],
  ['docs/hub.md', 'it downloads a model'],
  ['docs/transformers.md', 'it downloads a model'],
]);
/** The model files that pages name. */
const models = [
  'model.gguf',
  'toy.gguf',
  'Qwen3-0.6B-Q8_0.gguf',
  'smollm2.gguf',
  'bge-small-en-v1.5-q8_0.gguf',
];
/** The model for search that pages name. */
const searchModel = 'bge-small-en-v1.5-q8_0.gguf';
/** The servers that pages name. */
const servers = ['http://localhost:8080', 'http://one:8080', 'http://two:8080'];

/** Runs those of `pages`, or all, in `folder`, where the package is installed. Gives the failures: what the program said. */
export async function runPages(folder: string, pages: readonly string[]): Promise<readonly string[]> {
  linkPackages(folder);
  await writeModels(folder);
  const served = await Promise.all(
    servers.map(() => serveModel(path.join(folder, 'model.gguf'), 'llama-server')),
  );
  const failures: string[] = [];
  const runs = ({ page, file }: PageProgram) =>
    !(file === null && compiledOnly.has(page)) && (pages.length === 0 || pages.includes(page));
  for (const program of pagePrograms().filter(runs)) {
    const source = servers.reduce(
      (text, url, index) => text.replaceAll(`'${url}'`, `'${served[index]?.url}'`),
      program.source,
    );
    const began = performance.now();
    const said = await runProgram({ ...program, source }, folder);
    console.log(
      `  ${said === null ? '✓' : '✗'} ${program.page} ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
    if (said !== null) failures.push(`${program.page} ${program.file ?? ''}\n${said}`);
  }
  for (const server of served) await server.close();
  return failures;
}

/** The packages that pages import besides this one, as they are installed here. */
function linkPackages(folder: string): void {
  const installed = path.join(folder, 'node_modules');
  for (const name of fs.readdirSync(path.join(root, 'node_modules'))) {
    const target = path.join(installed, name);
    if (name === 'idiolect' || fs.existsSync(target)) continue;
    fs.symlinkSync(path.join(root, 'node_modules', name), target);
  }
}

async function writeModels(folder: string): Promise<void> {
  const toy = await toyModel();
  for (const name of models) fs.writeFileSync(path.join(folder, name), toy);
  fs.writeFileSync(path.join(folder, searchModel), await tinyBert(false));
  const model = await loadModel(path.join(folder, 'model.gguf'), { threads: 1 });
  fs.writeFileSync(path.join(folder, 'template.jinja'), model.templates.toolUse.source);
  await model.dispose();
}

/** What the program said if it failed, else `null`. A test file is run by its runner. */
async function runProgram({ page, file, source }: PageProgram, folder: string): Promise<string | null> {
  const name = file ?? `${path.basename(page, '.md')}.ts`;
  const isTest = name.endsWith('.test.ts');
  const target = path.join(folder, isTest ? name : name.replace(/ts$/, 'mjs'));
  const { module, target: language } = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module, target: language } });
  fs.writeFileSync(target, isTest ? source : outputText);
  const args = isTest
    ? [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
    : [target];
  const child = spawn(process.execPath, args, { cwd: folder, timeout: 120_000 });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(String(data)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return code === 0 ? null : said.join('').slice(-2000);
}
