/** `npm run judge:vllm`: a real vLLM or SGLang as a judge. Installs nothing, and starts nothing. */
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { connectServer } from '../../src/servers/index.ts';
import { ownQuestions } from '../judge-models/questions/asked.ts';
import { outsideQuestions } from '../judge-models/questions/outside.ts';
import { judgeClients } from './clients.ts';
import { judgeCost } from './cost.ts';
import { judgeFailures } from './failures.ts';
import { type JudgedServer, judgedServer, versionOf } from './judged-server.ts';
import { judgeModes } from './modes.ts';
import { judgeQuestions } from './questions.ts';

const usage = `A server as a judge of structural tags, calls, failures and cost.

  vllm serve MODEL --enable-tokenizer-info-endpoint --enable-auto-tool-choice --tool-call-parser hermes
  npm run judge:vllm -- http://127.0.0.1:8000 [modes] [questions] [failures] [cost] [clients]

Default: all parts. The requests of clients lie in IDIOLECT_CONFORMANCE, else they are skipped.

  --kind KIND        vllm or sglang; default vllm
  --template FILE    Jinja source of the chat template; default: what the server says
  --tokens N         of a response under a tag; default 160
  --rounds N         of the cost; default 8
  --process PID      the server's process on this machine, whose processor time is measured, too
  --questions NAME   own (30), or outside (questions.mjs in IDIOLECT_MODELS); default own
  --first N          only the first N questions
  --only TEXT        only formats whose name contains it
  --from NAME        only formats from this one on, in the order of their names
  --seed N           default 1`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string', default: 'vllm' },
    template: { type: 'string' },
    tokens: { type: 'string', default: '160' },
    rounds: { type: 'string', default: '8' },
    process: { type: 'string' },
    questions: { type: 'string', default: 'own' },
    first: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const [url, ...named] = positionals;
if (url === undefined || values.help) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
const kind = values.kind === 'sglang' ? 'sglang' : 'vllm';
const chatTemplate =
  values.template === undefined ? {} : { chatTemplate: fs.readFileSync(values.template, 'utf8') };
const options = { kind, requireTools: false, ...chatTemplate } as const;

/** The parts, in order. */
const parts: Readonly<Record<string, (server: JudgedServer) => Promise<void>>> = {
  async modes(server) {
    const { only, from } = values;
    const limits = { limit: Number(values.tokens), seed: Number(values.seed), only, from };
    console.table(await judgeModes(server, limits));
  },
  async questions(server) {
    const model = await connectServer({ ...options, url: server.url });
    const asked = values.questions === 'outside' ? await outsideQuestions() : ownQuestions;
    if (asked === null) console.log('no questions.mjs in IDIOLECT_MODELS: skipped');
    else console.table(await judgeQuestions(server, model, asked, Number(values.first)));
  },
  async failures({ url: address }) {
    console.table(await judgeFailures(address, options));
  },
  async cost(server) {
    const pid = values.process === undefined ? null : Number(values.process);
    const limits = { rounds: Number(values.rounds), limit: 40, pid };
    const { rows, tokenize } = await judgeCost(server, { ...options, url: server.url }, limits);
    console.table(rows);
    console.log(`/tokenize: ${tokenize[0]} in the first chat, ${tokenize[1]} in the last`);
  },
  async clients(server) {
    const folder = process.env.IDIOLECT_CONFORMANCE ?? '../shared/conformance';
    console.table([await judgeClients({ ...options, url: server.url }, folder, Number(values.tokens))]);
  },
};

const unknown = named.find((name) => parts[name] === undefined);
if (unknown !== undefined)
  throw new RangeError(`no part is called ${unknown}: ${Object.keys(parts).join(', ')}`);
const server = await judgedServer(url, kind);
console.log(`${kind} ${await versionOf(server)}, ${server.model}`);
for (const [name, run] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`\n${name}`);
  await run(server);
}
process.exit();
