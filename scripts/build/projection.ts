import { hash } from 'node:crypto';
import { build } from 'esbuild';
import { ROOT } from './bundle.ts';

/** The code that makes objects of the API server's answers, and snapshots of them. */
const READS = ['providers/kubernetes/read/view/entry-reader.ts', 'providers/kubernetes/read/kinds.ts'];
const WRITES = ['providers/kubernetes/read/snapshot/snapshot-file.ts'];

/** The hash of the bundled code, which changes with the behavior of the code. */
export async function projectionHash(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...READS, ...WRITES],
    bundle: true,
    minify: true,
    write: false,
    outdir: 'projection',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
  });
  const contents = outputFiles.map(({ text }) => text).toSorted();
  return hash('sha256', JSON.stringify(contents), 'hex').slice(0, 16);
}
