/** `npm run conformance -- maskbench FILE`: a whole file of MaskBench's form. */
import { run } from './maskbench.ts';
import { newOutcomes } from './maskbench-known.ts';

/** Runs the file and prints what came of it, for people or (`json`) for programs. */
export async function runMaskBenchFile(file: string, json: boolean): Promise<void> {
  const result = await run(file, { asDelivered: true });
  if (json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const {
    pass,
    total,
    silent,
    checked,
    mislabelled,
    refused,
    milliseconds,
    refusedFor,
    outcomes,
    examples,
    passInOwnOrder,
    passCompact,
  } = result;
  const { worse, better } = newOutcomes(outcomes);
  const share = ((100 * pass) / total).toFixed(2);
  process.stdout.write(
    `${pass} of ${total} pass (${share} %), ${refused} refused, ${checked} with a check, ${silent} wrong without a report (${mislabelled} of them as Ajv has it)\n` +
      `${passInOwnOrder} pass with keys in any order, and instances in their own; ${passCompact} in compact spelling, too\n` +
      `compile: median ${milliseconds.median.toFixed(2)} ms, p99 ${milliseconds.p99.toFixed(0)} ms, worst ${milliseconds.worst.toFixed(0)} ms\n` +
      `worse than is known: ${worse.join(', ') || 'none'}; better: ${better.join(', ') || 'none'}\n` +
      `refused for: ${JSON.stringify(refusedFor)}\n${examples.map((line) => `    ${line}\n`).join('')}`,
  );
}
