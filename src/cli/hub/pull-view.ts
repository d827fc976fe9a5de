/** The display of a pull. */
import pc from 'picocolors';
import type { ModelCard } from '../../hub/inspect-model.ts';
import type { PullEvent } from '../../hub/pull-model.ts';
import type { ResolvedModel } from '../../hub/resolve-model.ts';
import { formatBytes } from '../figures.ts';
import { paintedText, terminalText } from '../terminal-text.ts';
import { type DownloadBars, startDownloadBars } from './download-bars.ts';

/** A running display of a pull, on standard error. */
interface PullView {
  /** The callback for `onEvent`. */
  readonly show: (event: PullEvent) => void;
  /** Ends the display; may be called twice. */
  readonly stop: () => void;
}

/** Shows what was chosen and found, and the progress. */
export function createPullView(): PullView {
  let bars: DownloadBars | null = null;
  let resolved: ResolvedModel | null = null;
  return {
    show(event) {
      if (event.type === 'resolved') {
        resolved = event.resolved;
        process.stderr.write(paintedText(chosen(resolved)));
      } else if (event.type === 'inspected') {
        process.stderr.write(paintedText(found(event.card)));
      } else if (event.type === 'copied') {
        const size = formatBytes(event.file.size);
        const said = `! ${event.path} is a copy, which takes ${size} more: links are not allowed here (on Windows, Developer Mode allows them)`;
        process.stderr.write(`${pc.yellow(terminalText(said))}\n`);
      } else if (resolved !== null) {
        bars ??= startDownloadBars(resolved.choice.chosen.files);
        bars.update(event.file, event.step);
      }
    },
    stop() {
      bars?.stop();
      bars = null;
    },
  };
}

function chosen({ model, commit, choice }: ResolvedModel): string {
  const { chosen: it, others, passedOver } = choice;
  const size = formatBytes(it.files.reduce((sum, file) => sum + file.size, 0));
  const shards = it.files.length > 1 ? `, ${it.files.length} shards` : '';
  const lines = [
    `${pc.bold(model)} ${pc.dim(`at ${commit.slice(0, 12)}`)}`,
    `  ${it.name} (${size}${shards})`,
  ];
  if (others.length > 0) {
    lines.push(
      pc.dim(`  there is also: ${others.map((other) => other.quantization ?? other.name).join(', ')}`),
    );
  }
  if (passedOver.length > 0)
    lines.push(pc.dim(`  passed over, no models by themselves: ${passedOver.join(', ')}`));
  return `${lines.join('\n')}\n`;
}

function found({ supportsTools, template, header }: ModelCard): string {
  const seen = formatBytes(header.bytesRead);
  const verdict = supportsTools ? pc.green('can call tools') : pc.yellow('cannot call tools');
  const by = template === null ? 'it has no chat template' : `its ${template.name} template shows it`;
  return `  ${verdict}: ${by} ${pc.dim(`(${seen} of the header read)`)}\n`;
}
