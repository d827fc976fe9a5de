/** A process of its own that pulls a model and can be killed: endpoint, cache, reference, chunk size. */
import { pullModel } from '../../src/hub/pull-model.ts';
import { observeWords } from './hub-fixture.ts';

const [, , endpoint = '', cache = '', reference = '', chunkSize = ''] = process.argv;
const { files } = await pullModel(reference, {
  endpoint,
  cache,
  token: null,
  observe: observeWords,
  chunkSize: Number(chunkSize),
});
process.stdout.write(`${files[0]}\n`);
