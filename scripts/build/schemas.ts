import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SCHEMA_NAMES, schemaNamed } from '../../cli/commands/schema.ts';

/** Writes the JSON Schema of each document, where `schemaAddress` has it in the package. */
export async function writeSchemas(outdir: string): Promise<void> {
  const folder = path.join(outdir, 'schemas');
  await mkdir(folder, { recursive: true });
  for (const name of SCHEMA_NAMES) {
    await writeFile(path.join(folder, `${name}.json`), `${JSON.stringify(schemaNamed(name), null, 2)}\n`);
  }
}
