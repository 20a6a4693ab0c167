import { readFile, writeFile } from 'node:fs/promises';
import { withDemo } from './docs/demo.ts';
import { optionTables } from './docs/options.ts';

// Writes the parts of the documentation that come from the code: `npm run docs`.
await writeFile(new URL('../docs/options.md', import.meta.url), optionTables());

const readme = new URL('../README.md', import.meta.url);
await writeFile(readme, await withDemo(await readFile(readme, 'utf8')));
