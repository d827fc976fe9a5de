/**
 * `npm run judge:fetch -- [name …]`: fetches models, by default the two small ones, and prints where they lie;
 * `bfcl-eval` installs the leaderboard.
 */
import { installLeaderboard } from '../leaderboard/python.ts';
import { fetchModel, judgeModels } from './model-files.ts';

const names = process.argv.slice(2);
for (const name of names.length === 0 ? ['smollm2-135m', 'qwen2.5-coder-0.5b'] : names) {
  const model = judgeModels.find((each) => each.name === name);
  if (model !== undefined) console.log(fetchModel(model));
  else if (name === 'bfcl-eval') console.log(installLeaderboard());
  else {
    const known = [...judgeModels.map((each) => each.name), 'bfcl-eval'];
    console.error(`nothing is called ${name}; there are ${known.join(', ')}`);
    process.exitCode = 2;
  }
}
