import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { configurationPage } from './docs/configuration.ts';
import { costPage } from './docs/cost.ts';
import { withDemo } from './docs/demo.ts';
import { doctorPage } from './docs/doctor.ts';
import { withEvents } from './docs/events.ts';
import { withExitCodes } from './docs/exit-codes.ts';
import { flagsPage } from './docs/flags.ts';
import { limitsPage } from './docs/limits.ts';
import { metricsPage } from './docs/metrics.ts';
import { optionTables } from './docs/options.ts';
import { drawPictures } from './docs/pictures/draw.ts';
import { permissionsPage } from './docs/permissions.ts';
import { reasonsPage, withReasons } from './docs/reasons.ts';
import { handlerPage } from './docs/termination-handler.ts';
import { withFormats } from './docs/formats.ts';
import { withSchemas } from './docs/schemas.ts';

// Writes the parts of the documentation that come from the code: `npm run docs`.
const docs = new URL('../docs/', import.meta.url);
await writeFile(new URL('options.md', docs), optionTables());
await writeFile(new URL('configuration.md', docs), configurationPage());
await writeFile(new URL('cost.md', docs), costPage());
await writeFile(new URL('doctor.md', docs), doctorPage());
await writeFile(new URL('flags.md', docs), flagsPage());
await writeFile(new URL('limits.md', docs), limitsPage());
await writeFile(new URL('metrics.md', docs), metricsPage());
await writeFile(new URL('permissions.md', docs), permissionsPage());
await writeFile(new URL('node-termination-handler.md', docs), handlerPage());
await writeFile(new URL('reasons.md', docs), reasonsPage());

for (const name of await readdir(docs)) {
  if (name.endsWith('.md')) {
    const page = new URL(name, docs);
    const text = await readFile(page, 'utf8');
    const written = withExitCodes(withEvents(withFormats(withSchemas(withReasons(text)))));
    if (written !== text) {
      await writeFile(page, written);
    }
  }
}

const readme = new URL('../README.md', import.meta.url);
await writeFile(readme, await withDemo(await readFile(readme, 'utf8')));

const left = await drawPictures(fileURLToPath(new URL('pictures', docs)));
if (left !== null) {
  console.error(left);
}
