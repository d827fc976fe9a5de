/** The models of a server, by name: open ones, and those that are opened on demand. */
import { UnsupportedOptionError } from '../format/errors.ts';
import { untilAborted } from '../format/on-abort.ts';
import { maxTimer, requireOption } from '../format/option-rules.ts';
import { RequestError } from './errors.ts';
import type { ModelEntry, ServableModel } from './servable-model.ts';

/** Characters of a name that an error repeats. */
const shown = 200;

interface Slot {
  readonly entry: ModelEntry;
  model: Promise<ServableModel> | null;
  /** The model, once it is open. */
  opened: ServableModel | null;
  /** Whether it takes memory: it is open, or being opened, but not waiting to be. */
  isOpen: boolean;
  /** Whether it was passed open, and stays open. */
  readonly isFixed: boolean;
  users: number;
  /** Closes it, once it has been idle for long enough. */
  timer: NodeJS.Timeout | null;
  /** Number of the request that last used it. */
  lastUse: number;
}

/** A model of the server. */
export interface ListedModel {
  readonly name: string;
  /** `null` while it is not open. */
  readonly model: ServableModel | null;
  /** Memory that it takes while it is open; 0 if unknown. */
  readonly bytes: number;
}

/** A model of the server, with what is known of its templates. */
export interface LearnedModel extends ListedModel {
  /** Absent while it is not open, if it has none, and if they cannot be analysed. */
  readonly templates?: ServableModel['templates'] | undefined;
}

/** A model in use. */
export interface BorrowedModel {
  readonly name: string;
  readonly model: ServableModel;
  /** Must be called once. `idleMs`: when the model is closed unless it is asked again. Default: as the pool has it. */
  release(idleMs?: number): void;
}

/** Options of a pool. */
interface PoolOptions {
  readonly memoryLimit: number;
  readonly anyModel?: boolean;
  readonly modelIdleMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** Lends models. Of those that it opened itself, idle ones are closed when memory is needed. */
export class ModelPool {
  readonly #slots = new Map<string, Slot>();
  readonly #memoryLimit: number;
  readonly #anyModel: boolean;
  readonly #idleMs: number;
  readonly #onError: (error: unknown) => void;
  #uses = 0;
  /** Models are opened one at a time, so that the limit always holds. */
  #opening: Promise<unknown> = Promise.resolve();
  readonly #idle: (() => void)[] = [];

  constructor(
    models: readonly (ServableModel | ModelEntry)[],
    {
      memoryLimit,
      anyModel = false,
      modelIdleMs = Number.POSITIVE_INFINITY,
      onError = () => undefined,
    }: PoolOptions,
  ) {
    this.#memoryLimit = memoryLimit;
    this.#anyModel = anyModel;
    this.#idleMs = modelIdleMs;
    this.#onError = onError;
    for (const given of models)
      requireOption('models', given, { expected: 'models, or entries with open()', allows: isServable });
    for (const given of models) {
      const name = servedName(given, models);
      if (this.#slots.has(name)) throw nameTwice(name);
      const slot = newSlot(given, name);
      if ((slot.entry.bytes ?? 0) > memoryLimit) throw tooLarge(slot.entry, memoryLimit);
      this.#slots.set(name, slot);
    }
  }

  /** Names in the given order, with the models that are open; nobody waits for those that are being opened. */
  list(): readonly ListedModel[] {
    const slots = [...this.#slots.values()];
    return slots.map(({ entry: { name, bytes = 0 }, opened: model }) => ({ name, bytes, model }));
  }

  /**
   * The same, with what is known of the templates of open models: the event loop runs while they are analysed. Those that
   * cannot be are told to the operator, and the models are listed nevertheless.
   */
  async learned(): Promise<readonly LearnedModel[]> {
    const models: LearnedModel[] = [];
    for (const each of this.list()) models.push({ ...each, templates: await this.#templatesOf(each) });
    return models;
  }

  async #templatesOf({ model }: ListedModel): Promise<LearnedModel['templates']> {
    try {
      await model?.learnTemplates?.();
      return model?.templates;
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** The name of the model that answers to `name`; of the first one if it is `null`. Throws `RequestError` (404). */
  nameOf(name: string | null): string {
    return this.#find(name).entry.name;
  }

  /**
   * The model of that name; the first one if `name` is `null`. Throws `RequestError` (404), the errors of opening it,
   * and the signal's reason; the model is opened nevertheless, because others may wait for it.
   */
  async borrow(name: string | null, signal?: AbortSignal): Promise<BorrowedModel> {
    const slot = this.#find(name);
    slot.users += 1;
    clearTimeout(slot.timer ?? undefined);
    this.#uses += 1;
    slot.lastUse = this.#uses;
    slot.model ??= this.#open(slot);
    try {
      const model = await untilAborted(slot.model, signal);
      return { name: slot.entry.name, model, release: (idleMs) => this.#release(slot, idleMs) };
    } catch (error) {
      this.#release(slot);
      throw error;
    }
  }

  /** Closes the model unless somebody uses it; nobody waits for it. Throws `RequestError` (404). */
  retire(name: string | null): void {
    this.#retire(this.#find(name));
  }

  /** Closes the models that were opened here. Those that are still being opened are waited for until `giveUp` is aborted. */
  async close(giveUp?: AbortSignal): Promise<void> {
    const slots = [...this.#slots.values()].filter(({ isFixed }) => !isFixed);
    for (const { timer } of slots) clearTimeout(timer ?? undefined);
    await Promise.all(
      slots.map((slot) => (slot.opened === null ? this.#shutLater(slot, giveUp) : shut(slot))),
    );
  }

  async #shutLater(slot: Slot, giveUp: AbortSignal | undefined): Promise<void> {
    const closed = shut(slot);
    try {
      await untilAborted(closed, giveUp);
    } catch (error) {
      if (giveUp?.aborted !== true) throw error;
      closed.catch(this.#onError);
    }
  }

  #find(name: string | null): Slot {
    const [first] = this.#slots.values();
    const known =
      name === null
        ? first
        : (this.#slots.get(name) ?? this.#slots.get(withoutTag(name)) ?? this.#alike(name));
    const slot = known ?? (this.#anyModel ? first : undefined);
    if (slot !== undefined) return slot;
    const names = [...this.#slots.keys()].join(', ');
    const reason = `no model is called ${JSON.stringify(shortened(name ?? ''))}, only ${names}; with anyModel (--any-model) the first answers to every name`;
    throw new RequestError({ status: 404, reasonCode: 'model_not_found', param: 'model', reason });
  }

  /** `toy` for the model of `toy.gguf`, and the reverse; none where that could be two. */
  #alike(name: string): Slot | undefined {
    const names = [...this.#slots.keys()].filter((each) => bareName(each) === bareName(name));
    return names.length === 1 ? this.#slots.get(names[0] ?? '') : undefined;
  }

  #open(slot: Slot): Promise<ServableModel> {
    const turn = this.#opening.then(async () => {
      await this.#makeRoom(slot);
      slot.isOpen = true;
      slot.opened = await slot.entry.open();
      return slot.opened;
    });
    this.#opening = turn.catch(() => {
      // The next request tries again.
      if (slot.model !== turn) return;
      slot.model = null;
      slot.isOpen = false;
    });
    return turn;
  }

  /** Closes idle models, least recently used first, and waits for busy ones if that is not enough. */
  async #makeRoom(wanted: Slot): Promise<void> {
    const { bytes = 0 } = wanted.entry;
    const others = [...this.#slots.values()].filter((slot) => slot !== wanted && !slot.isFixed);
    for (;;) {
      const open = others.filter((slot) => slot.isOpen && (slot.entry.bytes ?? 0) > 0);
      const taken = open.reduce((sum, { entry }) => sum + (entry.bytes ?? 0), 0);
      if (taken + bytes <= this.#memoryLimit) return;
      const idle = open.filter(({ users }) => users === 0).sort((one, other) => one.lastUse - other.lastUse);
      if (idle[0] === undefined) await new Promise<void>((resolve) => this.#idle.push(resolve));
      else await shut(idle[0]);
    }
  }

  #release(slot: Slot, idleMs = this.#idleMs): void {
    slot.users -= 1;
    if (slot.users > 0) return;
    for (const wake of this.#idle.splice(0)) wake();
    if (idleMs <= maxTimer) slot.timer = setTimeout(() => this.#retire(slot), idleMs).unref();
  }

  /** Closes a model that nobody uses, in turn with those that are opened. */
  #retire(slot: Slot): void {
    if (slot.isFixed) return;
    const turn = this.#opening.then(() => (slot.users === 0 && slot.isOpen ? shut(slot) : undefined));
    this.#opening = turn.catch(this.#onError);
  }
}

const unused = { users: 0, lastUse: 0, timer: null };

/** A model is named by its file, without the ending, as the command names it; entries have the names that they are given. */
function servedName(
  given: ServableModel | ModelEntry,
  models: readonly (ServableModel | ModelEntry)[],
): string {
  const isFree = models.every((other) => other === given || bareName(other.name) !== bareName(given.name));
  const bare = withoutEnding(given.name);
  return 'open' in given || bare === '' || !isFree ? given.name : bare;
}

function newSlot(given: ServableModel | ModelEntry, name: string): Slot {
  if ('open' in given)
    return { ...unused, entry: fixedEntry(given), model: null, opened: null, isOpen: false, isFixed: false };
  const entry: ModelEntry = { name, open: async () => given };
  return { ...unused, entry, model: Promise.resolve(given), opened: given, isOpen: true, isFixed: true };
}

/** What it takes is asked once: it was compared with the limit. */
function fixedEntry(given: ModelEntry): ModelEntry {
  return { name: given.name, bytes: given.bytes ?? 0, open: () => given.open() };
}

async function shut(slot: Slot): Promise<void> {
  const { model } = slot;
  slot.model = null;
  const opened = await model?.catch(() => undefined);
  slot.opened = null;
  await opened?.dispose?.();
  slot.isOpen = false;
}

/** Ollama's clients name the latest version of a model. */
function withoutTag(name: string): string {
  return name.replace(/:latest$/, '');
}

/** The command leaves out the ending of a model's file. */
function bareName(name: string): string {
  return withoutEnding(withoutTag(name));
}

function withoutEnding(name: string): string {
  return name.replace(/\.gguf$/i, '');
}

function isServable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  const does = ['open', 'chat', 'embed'].some((name) => typeof Reflect.get(value, name) === 'function');
  return typeof value.name === 'string' && does;
}

/** Its requests could only be refused, each time again: nothing that is closed makes room for it. */
function tooLarge({ name, bytes }: ModelEntry, limit: number): UnsupportedOptionError {
  const reason = `model ${JSON.stringify(name)} alone takes ${bytes} bytes of memory, and ${limit} are allowed; raise the limit, or leave the model out`;
  return new UnsupportedOptionError({ option: 'memoryLimit', reason });
}

function nameTwice(name: string): UnsupportedOptionError {
  const reason = `two models are called ${JSON.stringify(name)}; rename one of them`;
  return new UnsupportedOptionError({ option: 'models', reason });
}

function shortened(name: string): string {
  return name.length > shown ? `${name.slice(0, shown)}…` : name;
}
