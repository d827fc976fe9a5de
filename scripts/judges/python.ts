/** Runs the references, which are written in Python, in an environment of their own. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));

/** The environment: `IDIOLECT_JUDGES_PYTHON` names its Python, `IDIOLECT_JUDGE_WHEELS` the unpacked wheels. */
export function askPython<Answer>(script: string, questions: readonly object[]): readonly Answer[] {
  const python = process.env.IDIOLECT_JUDGES_PYTHON;
  const wheels = process.env.IDIOLECT_JUDGE_WHEELS;
  if (python === undefined || wheels === undefined) {
    throw new Error(
      'IDIOLECT_JUDGES_PYTHON and IDIOLECT_JUDGE_WHEELS are not set: scripts/judges/requirements.txt says what to install',
    );
  }
  const input = questions.map((each) => JSON.stringify(each)).join('\n');
  const { status, stdout, stderr } = spawnSync(python, [path.join(folder, script)], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { ...process.env, HF_HUB_OFFLINE: '1' },
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}:\n${stderr.slice(-4000)}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}
