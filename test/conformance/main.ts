/** `npm run conformance`. Some of what runs imports the built package by its name. */
import fs from 'node:fs';

if (fs.existsSync('dist')) {
  const { run } = await import('./run.ts');
  await run();
} else {
  process.stderr.write('the package is not built: npm run build comes first\n');
  process.exitCode = 1;
}
