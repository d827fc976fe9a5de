/** Functions that pages of `docs/` show, as a reader would copy them. */
import { pagePrograms } from '../../scripts/page-programs.ts';

/** The program called `file`, without what it does with its functions from `end` on, and with `name` exported. */
export function recipeOf(file: string, name: string, end: string): string {
  const source = pagePrograms().find((program) => program.file === file)?.source ?? '';
  if (!source.includes(end)) throw new RangeError(`${file} has no ${end}`);
  return `${source.slice(0, source.indexOf(end))}\nexport { ${name} };`;
}
