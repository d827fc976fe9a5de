/** `npm run judge:fetch -- [model …]`: fetches models, by default the two small ones, and prints where they lie. */
import { fetchModel, judgeModels } from './model-files.ts';

const names = process.argv.slice(2);
const wanted = names.length === 0 ? ['smollm2-135m', 'qwen2.5-coder-0.5b'] : names;
for (const name of wanted) {
  const model = judgeModels.find((each) => each.name === name);
  if (model === undefined) {
    console.error(`no model is called ${name}; there are ${judgeModels.map((each) => each.name).join(', ')}`);
    process.exit(2);
  }
  console.log(fetchModel(model));
}
