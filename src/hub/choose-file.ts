/** Chooses the model among the files of a repository. */
import { parseGGUFQuantLabel, parseGgufShardFilename } from '@huggingface/gguf';
import { AmbiguousFileError, FileNotFoundError, NoGgufError } from './errors.ts';

/** The names of a model among the files. */
export interface ModelName {
  /** The file's path, or the first shard's. */
  readonly name: string;
  /** From the name, in capitals: `Q4_K_M`; `null` if there is none. */
  readonly quantization: string | null;
}

/** A model among the files: one file, or all shards in order. */
export interface ModelFiles<File> extends ModelName {
  /** At least one. */
  readonly files: readonly [File, ...File[]];
}

/** The chosen model, and the alternatives. */
export interface FileChoice<File> {
  readonly chosen: ModelFiles<File>;
  readonly others: readonly ModelName[];
  /** GGUF files that are not models by themselves: projectors, drafts, incomplete shards. */
  readonly passedOver: readonly string[];
}

/** What the caller requests; nothing means the best of the known quantisations. */
export interface WantedFile {
  readonly model: string;
  readonly quantization: string | null;
  readonly file: string | null;
}

/** In order of preference: the smallest with little loss, then its neighbours. */
const preferred = ['Q4_K_M', 'Q5_K_M', 'Q4_0', 'Q8_0', 'Q6_K', 'Q3_K_M', 'Q2_K'];

/** Words in the name of a file that accompanies a model: between separators or at the edges. */
const companion = /(?:^|[-_. ])(?:mmproj|projector|draft|drafter|eagle\d?|imatrix)(?=[-_. ]|$)/i;

/**
 * Chooses the model among the files of a repository. Throws `NoGgufError`, `FileNotFoundError` or
 * `AmbiguousFileError`, with what is available.
 */
export function chooseModel<File extends { readonly path: string }>(
  files: readonly File[],
  wanted: WantedFile,
): FileChoice<File> {
  const { models, passedOver } = groupModels(files);
  if (models.length === 0) throw new NoGgufError({ model: wanted.model, passedOver });
  const chosen = chooseAmong(models, wanted);
  const others = models.filter((model) => model !== chosen);
  return { chosen, others: others.map(({ name, quantization }) => ({ name, quantization })), passedOver };
}

function chooseAmong<File extends { readonly path: string }>(
  models: readonly ModelFiles<File>[],
  wanted: WantedFile,
): ModelFiles<File> {
  if (wanted.file !== null) return onlyOne(withFile(models, wanted.file), wanted.file, models, wanted);
  if (wanted.quantization !== null) {
    const asked = wanted.quantization;
    return onlyOne(withQuantization(models, asked), asked, models, wanted);
  }
  const [only, second] = models;
  if (only !== undefined && second === undefined) return only;
  for (const label of preferred.flatMap((quantization) => [quantization, `UD-${quantization}`])) {
    const matching = models.filter((model) => model.quantization === label);
    if (matching.length > 0) return onlyOne(matching, label, models, wanted);
  }
  throw new AmbiguousFileError({ model: wanted.model, candidates: models.map((model) => model.name) });
}

function onlyOne<File>(
  matching: readonly ModelFiles<File>[],
  asked: string,
  models: readonly ModelFiles<File>[],
  wanted: WantedFile,
): ModelFiles<File> {
  const [only, second] = matching;
  if (only === undefined) {
    const available = models.map((model) => model.name);
    throw new FileNotFoundError({ model: wanted.model, wanted: asked, available });
  }
  if (second === undefined) return only;
  throw new AmbiguousFileError({ model: wanted.model, candidates: matching.map((model) => model.name) });
}

/** The model that has this file, by path or else by name. */
function withFile<File extends { readonly path: string }>(
  models: readonly ModelFiles<File>[],
  asked: string,
): readonly ModelFiles<File>[] {
  const byPath = models.filter((model) => model.files.some((file) => file.path === asked));
  if (byPath.length > 0) return byPath;
  return models.filter((model) => model.files.some((file) => baseName(file.path) === asked));
}

/** Models of this quantisation, otherwise those whose name contains the text as a separate word. */
function withQuantization<File>(
  models: readonly ModelFiles<File>[],
  asked: string,
): readonly ModelFiles<File>[] {
  const label = asked.toUpperCase();
  const exact = models.filter((model) => model.quantization === label);
  if (exact.length > 0) return exact;
  return models.filter((model) => {
    const words = `-${model.name.toUpperCase().replace(/\.GGUF$/, '')}-`.replaceAll(/[/.]/g, '-');
    return words.includes(`-${label.replaceAll('.', '-')}-`);
  });
}

/** All models among the files, and the GGUF files that are not models by themselves. */
export function groupModels<File extends { readonly path: string }>(
  files: readonly File[],
): { readonly models: readonly ModelFiles<File>[]; readonly passedOver: readonly string[] } {
  const models: ModelFiles<File>[] = [];
  const passedOver: string[] = [];
  const shards = new Map<string, Map<number, File>>();
  for (const file of files.filter(({ path }) => /\.gguf$/i.test(path))) {
    const shard = parseGgufShardFilename(file.path.replace(/\.gguf$/i, '.gguf'));
    if (companion.test(baseName(file.path).replace(/\.gguf$/i, ''))) passedOver.push(file.path);
    else if (shard === null) models.push(modelOf([file]));
    else mapAt(shards, `${shard.prefix} of ${shard.total}`).set(Number(shard.shard), file);
  }
  for (const [key, parts] of shards) {
    const whole = completeShards(parts, Number(key.slice(-5)));
    if (whole === null) passedOver.push(...[...parts.values()].map(({ path }) => path));
    else models.push(modelOf(whole));
  }
  return { models, passedOver };
}

function mapAt<File>(shards: Map<string, Map<number, File>>, key: string): Map<number, File> {
  const found = shards.get(key) ?? new Map<number, File>();
  shards.set(key, found);
  return found;
}

/** The shards in order, or `null` if one is missing. */
function completeShards<File>(parts: ReadonlyMap<number, File>, total: number): [File, ...File[]] | null {
  const ordered = [...parts].sort(([a], [b]) => a - b);
  const complete = ordered.length === total && ordered.every(([number], index) => number === index + 1);
  const [first, ...rest] = ordered.map(([, file]) => file);
  return complete && first !== undefined ? [first, ...rest] : null;
}

function modelOf<File extends { readonly path: string }>(files: [File, ...File[]]): ModelFiles<File> {
  const name = files[0].path;
  return { name, quantization: parseGGUFQuantLabel(name) ?? null, files };
}

/** The last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
