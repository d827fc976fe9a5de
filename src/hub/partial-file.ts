/**
 * A file that is downloaded in chunks, in any order, and survives a kill at any moment.
 *
 * A record next to the data has one byte per chunk. It is set after the chunk has reached the disk, so whenever the
 * process or the machine stops, the chunks marked complete are complete.
 */
import fs from 'node:fs/promises';
import path from 'node:path';

/** An open partial file. */
export interface PartialFile {
  /** The path of its data. */
  readonly file: string;
  readonly chunkCount: number;
  isDone(chunk: number): boolean;
  /** Total bytes of complete chunks. */
  doneBytes(): number;
  /** The first byte of a chunk, and the byte after its last. */
  bounds(chunk: number): readonly [start: number, end: number];
  write(position: number, bytes: Uint8Array): Promise<void>;
  /** Marks a fully written chunk as complete. */
  finish(chunk: number): Promise<void>;
  close(): Promise<void>;
}

/** Size and chunks of a file; with another chunk size, the download starts over. */
export interface PartialFileLayout {
  readonly file: string;
  readonly size: number;
  readonly chunkSize: number;
}

/** Opens what an earlier download left, or starts a new file. */
export async function openPartialFile(layout: PartialFileLayout): Promise<PartialFile> {
  const { size, chunkSize } = layout;
  const chunkCount = Math.ceil(size / chunkSize);
  const data = await fs.open(layout.file, 'a+').then(async (handle) => {
    await handle.close();
    return fs.open(layout.file, 'r+');
  });
  const done = await openRecord(layout, chunkCount, (await data.stat()).size === size);
  await data.truncate(size);
  const bounds = (chunk: number): readonly [number, number] => [
    chunk * chunkSize,
    Math.min(size, (chunk + 1) * chunkSize),
  ];
  return {
    file: layout.file,
    chunkCount,
    bounds,
    isDone: (chunk) => done.bytes[chunk] === 1,
    doneBytes() {
      let total = 0;
      for (const [chunk, isDone] of done.bytes.entries()) {
        const [start, end] = bounds(chunk);
        total += isDone === 1 ? end - start : 0;
      }
      return total;
    },
    async write(position, bytes) {
      let written = 0;
      while (written < bytes.length) {
        const { bytesWritten } = await data.write(bytes, written, bytes.length - written, position + written);
        written += bytesWritten;
      }
    },
    async finish(chunk) {
      await data.datasync();
      await done.set(chunk);
    },
    async close() {
      await done.close();
      await data.close();
    },
  };
}

/** Removes the rest of a partial file: its data, unless it was moved away, and its records of any chunk size. */
export async function removePartialFile({ file }: Pick<PartialFileLayout, 'file'>): Promise<void> {
  const [folder, own] = [path.dirname(file), path.basename(file)];
  for (const name of await fs.readdir(folder)) {
    const isPart = name.startsWith(own) && /^(\.\d+)?$/.test(name.slice(own.length));
    if (isPart) await fs.rm(path.join(folder, name), { force: true });
  }
}

function recordName({ file, chunkSize }: PartialFileLayout): string {
  return `${file}.${chunkSize}`;
}

interface ChunkRecord {
  readonly bytes: Uint8Array;
  set(chunk: number): Promise<void>;
  close(): Promise<void>;
}

/** The record of `chunkCount` chunks; empty if the data does not match it, or there is no valid record. */
async function openRecord(
  layout: PartialFileLayout,
  chunkCount: number,
  isForThisData: boolean,
): Promise<ChunkRecord> {
  const name = recordName(layout);
  const found = isForThisData ? await fs.readFile(name).catch(() => null) : null;
  const known = found?.length === chunkCount ? found : null;
  const bytes = known === null ? new Uint8Array(chunkCount) : new Uint8Array(known);
  if (known === null) await fs.writeFile(name, bytes);
  const handle = await fs.open(name, 'r+');
  return {
    bytes,
    async set(chunk) {
      bytes[chunk] = 1;
      await handle.write(bytes, chunk, 1, chunk);
    },
    close: () => handle.close(),
  };
}
