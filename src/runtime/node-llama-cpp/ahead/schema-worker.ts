/** The thread that compiles costly schemas: gets grammars to make, answers with the schemas that it has compiled. */
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { IdiolectError } from '../../../format/errors.ts';
import { type GrammarJob, RecordingStore } from '../../chat/ahead-store.ts';
import { GrammarCache } from '../../chat/grammar-cache.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

parentPort?.on('message', ({ format, options }: GrammarJob) => {
  const store = new RecordingStore(digest);
  try {
    new GrammarCache(digest, store).get(format, options);
  } catch (error) {
    // Whoever asked meets it again, without the work before it.
    if (!(error instanceof IdiolectError)) throw error;
  }
  parentPort?.postMessage(store.compiled);
});
