/** Progress of a download in the terminal: a bar for the current file, one for all, speed and time left. */
import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import pc from 'picocolors';
import { baseName } from '../../hub/choose-file.ts';
import type { FetchStep } from '../../hub/fetch-blob.ts';
import type { RemoteFile } from '../../hub/resolve-model.ts';
import { formatBytes, formatDuration } from '../figures.ts';
import { terminalText } from '../terminal-text.ts';

/** A running display. */
export interface DownloadBars {
  update(file: RemoteFile, step: FetchStep): void;
  stop(): void;
}

/** Speed is averaged over this time: long enough to be steady, short enough to be current. */
const windowMs = 5_000;

/** Starts the display on standard error; if that is not a terminal, it prints one line per file and phase. */
export function startDownloadBars(files: readonly RemoteFile[]): DownloadBars {
  return process.stderr.isTTY ? barsOnTerminal(files) : linesPerFile();
}

function linesPerFile(): DownloadBars {
  let last = '';
  return {
    update(file, step) {
      const phrase = {
        cached: 'already here',
        waiting: 'waiting for another process',
        resumed: 'downloading',
      };
      const text =
        step.type === 'verified' ? 'verifying' : step.type === 'received' ? null : phrase[step.type];
      if (text === null || last === `${file.path}${text}`) return;
      last = `${file.path}${text}`;
      process.stderr.write(`  ${terminalText(file.path)}: ${text}\n`);
    },
    stop: () => undefined,
  };
}

/** A bar, and its position. */
interface Track {
  readonly bar: SingleBar;
  readonly total: number;
  done: number;
}

function barsOnTerminal(files: readonly RemoteFile[]): DownloadBars {
  const format = `  {name} ${pc.cyan('{bar}')} {percentage}% {amount} ${pc.dim('{note}')}`;
  const options = { format, stream: process.stderr, hideCursor: true, clearOnComplete: false, barsize: 30 };
  const bars = new MultiBar(options, Presets.shades_classic);
  const all = files.length > 1 ? createTrack(bars, 'all files', total(files)) : null;
  const single = new Map<RemoteFile, Track>();
  const speed = createSpeedometer();
  return {
    update(file, step) {
      const own = single.get(file) ?? createTrack(bars, baseName(file.path), file.size);
      single.set(file, own);
      if (step.type === 'received') speed.add(step.bytes);
      const arrived = arrivedBytes(file, step);
      if (arrived > 0) for (const track of all === null ? [own] : [own, all]) advance(track, arrived, speed);
      const note = notes[step.type];
      if (note !== null) own.bar.update({ note });
    },
    stop: () => bars.stop(),
  };
}

const notes: Readonly<Record<FetchStep['type'], string | null>> = {
  cached: 'already here',
  waiting: 'waiting for another process that fetches it',
  resumed: null,
  received: null,
  verified: 'verifying',
};

function arrivedBytes(file: RemoteFile, step: FetchStep): number {
  if (step.type === 'cached') return file.size;
  return step.type === 'resumed' || step.type === 'received' ? step.bytes : 0;
}

function createTrack(bars: MultiBar, name: string, size: number): Track {
  const label = terminalText(name.slice(-40)).padEnd(12);
  return {
    bar: bars.create(size, 0, { name: label, amount: formatBytes(0), note: '' }),
    total: size,
    done: 0,
  };
}

function advance(track: Track, bytes: number, speed: Speedometer): void {
  track.done += bytes;
  const rate = speed.bytesPerSecond();
  const left = formatDuration((track.total - track.done) / rate);
  const note = rate > 0 ? `${formatBytes(Math.round(rate))}/s, ${left} left` : '';
  track.bar.update(track.done, { amount: `${formatBytes(track.done)} of ${formatBytes(track.total)}`, note });
}

interface Speedometer {
  add(bytes: number): void;
  bytesPerSecond(): number;
}

/** Counts bytes in slices of a tenth of a second, and keeps those of the last seconds. */
function createSpeedometer(): Speedometer {
  const slices = new Map<number, number>();
  let first: number | null = null;
  return {
    add(bytes) {
      const now = Math.floor(performance.now() / 100);
      first ??= now;
      slices.set(now, (slices.get(now) ?? 0) + bytes);
      for (const slice of slices.keys()) if (slice <= now - windowMs / 100) slices.delete(slice);
    },
    bytesPerSecond() {
      const elapsed = first === null ? 0 : performance.now() - first * 100;
      const seconds = Math.min(elapsed, windowMs) / 1000;
      if (seconds < 0.3) return 0;
      return [...slices.values()].reduce((sum, bytes) => sum + bytes, 0) / seconds;
    },
  };
}

function total(files: readonly RemoteFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
