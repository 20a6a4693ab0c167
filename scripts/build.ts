import { readdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles each function into `dist/<function>/index.mjs`, the AWS SDK included: that halves the import time of a cold
 * start against the SDK in Lambda's runtime. Another folder than `dist` may be given.
 */
const [outdir = 'dist'] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders of `functions/` that have an entry point. */
async function functionNames(): Promise<readonly string[]> {
  const entries = await readdir(`${root}functions`, { recursive: true });
  return entries.flatMap((path) => /^([^/\\]+)[/\\]index\.ts$/.exec(path)?.[1] ?? []).sort();
}

const names = await functionNames();
await rm(resolve(root, outdir), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: names.map((name) => ({ in: `functions/${name}/index.ts`, out: `${name}/index` })),
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  // Packages in CommonJS call `require`, which an ES module does not have. A short name would clash with minified ones.
  banner: {
    js: "import { createRequire as __outriggerCreateRequire } from 'node:module'; const require = __outriggerCreateRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});
for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
  console.log(`${path}  ${Math.round(bytes / 1024)} KiB`);
}
