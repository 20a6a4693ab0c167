import { writeFile } from 'node:fs/promises';
import { optionTables } from './docs/options.ts';

// Writes the parts of the documentation that come from the code: `npm run docs`.
await writeFile(new URL('../docs/options.md', import.meta.url), optionTables());
