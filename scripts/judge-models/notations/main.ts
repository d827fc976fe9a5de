/**
 * `npm run judge:notations -- [reported] [openers] [answers] [--only name] [--file cases.jsonl] [--outside] [--details]`:
 * what models are reported to write, openers in other white space, and answers without calls, each written by a scripted
 * model in `auto`. Fails if a call was handed out neither enforced nor validated, was lost untold, or was forced.
 */
import { parseArgs } from 'node:util';
import { generatedTemplates, type NamedTemplate, outsideTemplates } from '../insisting/chat-templates.ts';
import { type InsistedResponse, RefusedTemplateError } from '../insisting/insisting-model.ts';
import { tryOpeners } from './opener-variants.ts';
import { tryAnswers } from './plain-answers.ts';
import { reportedFile, tryReported } from './reported.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    file: { type: 'string' },
    outside: { type: 'boolean', default: false },
    details: { type: 'boolean', default: false },
  },
});

const parts: Readonly<Record<string, () => Promise<number>>> = { reported, openers, answers };
let wrong = 0;
for (const name of positionals.length === 0 ? Object.keys(parts) : positionals) {
  const part = parts[name];
  if (part === undefined) throw new RangeError(`no part is called ${name}: ${Object.keys(parts).join(', ')}`);
  wrong += await part();
}
process.exit(wrong === 0 ? 0 : 1);

async function reported(): Promise<number> {
  const file = values.file ?? reportedFile();
  if (file === null) {
    console.log('skipped: reported outputs, because models-write.jsonl is not in IDIOLECT_CONFORMANCE');
    return 0;
  }
  const count = { outputs: 0, parsed: 0, asMeant: 0, read: 0, assured: 0, lost: 0, thrown: 0 };
  for await (const { output, response, parsedAsMeant, asMeant, read, assured, lost } of tryReported(file)) {
    count.outputs += 1;
    if (parsedAsMeant) count.parsed += 1;
    if (asMeant) count.asMeant += 1;
    if (read) count.read += 1;
    if (read && assured) count.assured += 1;
    if (lost) count.lost += 1;
    if (response.thrown !== null) count.thrown += 1;
    if (!asMeant || !assured) detail(`${output.id}, ${output.kind}, ${output.module}`, output.text, response);
  }
  console.log(
    `reported outputs: ${count.outputs}; as meant ${count.asMeant} (by the parser alone ${count.parsed}); ` +
      `read ${count.read}, ` +
      `of these enforced or validated ${count.assured}; neither read nor told ${count.lost}; thrown ${count.thrown}`,
  );
  return count.read - count.assured + count.lost + count.thrown;
}

async function openers(): Promise<number> {
  const templates = await chosen();
  const count = { texts: 0, read: 0, unassured: 0, thrown: 0 };
  const formats = new Set<string>();
  for (const template of templates) {
    for await (const { text, change, response, read, unassured } of unlessRefused(tryOpeners(template))) {
      count.texts += 1;
      if (read) count.read += 1;
      if (response.thrown !== null) count.thrown += 1;
      if (unassured) {
        count.unassured += 1;
        formats.add(template.name);
      }
      if (unassured || response.thrown !== null) detail(`${template.name}, ${change}`, text, response);
    }
  }
  console.log(
    `opener variants: ${count.texts} of ${templates.length} formats; read ${count.read}; read and neither enforced ` +
      `nor validated ${count.unassured}, in ${formats.size} formats; thrown ${count.thrown}`,
  );
  return count.unassured + count.thrown;
}

async function answers(): Promise<number> {
  const templates = await chosen();
  const broken = new Set<string>();
  let texts = 0;
  let lost = 0;
  for (const template of templates) {
    for await (const outcome of unlessRefused(tryAnswers(template))) {
      texts += 1;
      if (!outcome.broken) continue;
      lost += 1;
      broken.add(template.name);
      detail(template.name, outcome.text, outcome.response);
    }
  }
  console.log(
    `answers without calls: ${texts} in ${templates.length} formats; a call forced or text lost: ${lost}, in ` +
      `${broken.size} formats${broken.size > 0 ? ` (${[...broken].join(', ')})` : ''}`,
  );
  return lost;
}

/** Nothing of a template that refuses these requests: it cannot render such tools, for example. */
async function* unlessRefused<Outcome>(outcomes: AsyncGenerator<Outcome>): AsyncGenerator<Outcome> {
  try {
    yield* outcomes;
  } catch (error) {
    if (!(error instanceof RefusedTemplateError)) throw error;
    console.log(`skipped: ${error.message} refuses the request`);
  }
}

async function chosen(): Promise<readonly NamedTemplate[]> {
  const all = [...(await generatedTemplates()), ...(values.outside ? outsideTemplates() : [])];
  return all.filter(({ name }) => name.includes(values.only));
}

function detail(head: string, text: string, { thrown, calls, content, told }: InsistedResponse): void {
  if (!values.details) return;
  const shown = thrown ?? JSON.stringify({ content, calls, told });
  console.log(`\n${head}\n  ${JSON.stringify(text).slice(0, 300)}\n  ${shown.slice(0, 300)}`);
}
