import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { bundle, ROOT } from './bundle.ts';
import { projectionHash } from './projection.ts';

/**
 * Bundles each function into `functions/<function>/index.mjs`, the AWS SDK included: that halves the import time of a
 * cold start against the SDK in Lambda's runtime.
 */
export async function buildFunctions(outdir: string): Promise<Metafile> {
  return await bundle({
    entryPoints: (await functionNames()).map((name) => ({
      in: `functions/${name}/index.ts`,
      out: `functions/${name}/index`,
    })),
    outdir,
    outExtension: { '.js': '.mjs' },
    target: 'node24',
    define: { OUTRIGGER_PROJECTION: JSON.stringify(await projectionHash()) },
  });
}

/** The folders of `functions/` that have an entry point. */
async function functionNames(): Promise<readonly string[]> {
  const entries = await readdir(path.join(ROOT, 'functions'), { recursive: true });
  return entries.flatMap((file) => /^([^/\\]+)[/\\]index\.ts$/.exec(file)?.[1] ?? []).sort();
}
