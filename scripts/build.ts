import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Metafile } from 'esbuild';
import { ROOT } from './build/bundle.ts';
import { buildCdk } from './build/cdk.ts';
import { buildCli } from './build/cli.ts';
import { buildFunctions } from './build/functions.ts';
import { writeLicenses } from './build/licenses.ts';
import { writeSchemas } from './build/schemas.ts';

/** The bundles that the stack deploys, and the other parts of the package. */
const PARTS: Readonly<Record<string, (outdir: string) => Promise<Metafile>>> = {
  functions: buildFunctions,
  cli: async (outdir) => {
    await writeSchemas(outdir);
    return buildCli(outdir);
  },
  cdk: buildCdk,
};

/** Builds all parts, or those that are named, into `dist` or another folder. */
const { values, positionals } = parseArgs({
  options: { outdir: { type: 'string', default: 'dist' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  throw new Error(`${unknown.join(', ')}: expected some of ${Object.keys(PARTS).join(', ')}`);
}
const outdir = path.resolve(ROOT, values.outdir);
const names = positionals.length === 0 ? Object.keys(PARTS) : positionals;
await Promise.all(names.map((name) => rm(path.join(outdir, name), { recursive: true, force: true })));
const built = await Promise.all(names.map((name) => PARTS[name]!(outdir)));
await writeLicenses(built, outdir);
for (const [file, { bytes }] of built.flatMap(({ outputs }) => Object.entries(outputs))) {
  console.log(`${file}  ${Math.round(bytes / 1024)} KiB`);
}
