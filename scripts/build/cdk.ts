import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { bundle, ROOT } from './bundle.ts';

/** Bundles the construct into `cdk/index.js`, and the app of `outrigger install` into `cdk/app.js`, without the CDK, which is the user's; and declares its types beside it. */
export async function buildCdk(outdir: string): Promise<Metafile> {
  const [metafile] = await Promise.all([
    bundle({
      entryPoints: [
        { in: 'cdk/index.ts', out: 'cdk/index' },
        { in: 'cdk/app.ts', out: 'cdk/app' },
      ],
      outdir,
      minify: false,
      target: 'node20',
      external: ['aws-cdk-lib', 'constructs'],
    }),
    declareTypes(path.join(outdir, 'cdk')),
    copyContext(path.join(outdir, 'cdk')),
  ]);
  return metafile;
}

/** The feature flags of the app, which decide on what is in the template: `outrigger install` runs the CDK in this folder. */
async function copyContext(outdir: string): Promise<void> {
  const { context } = JSON.parse(await readFile(path.join(ROOT, 'cdk.json'), 'utf8')) as { readonly context: object };
  await mkdir(outdir, { recursive: true });
  await writeFile(path.join(outdir, 'cdk.json'), `${JSON.stringify({ app: 'node app.js', context }, null, 2)}\n`);
}

async function declareTypes(outdir: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-types-'));
  try {
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const project = path.join(ROOT, 'scripts/build/tsconfig.cdk.json');
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', folder]);
    await mkdir(outdir, { recursive: true });
    await copyReachable(path.join(folder, 'cdk'), outdir);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Copies `index.d.ts` and the declarations that it refers to, all in this folder: all further types are not exported.
 */
async function copyReachable(from: string, to: string): Promise<void> {
  const names = ['index'];
  for (const name of names) {
    const text = await readFile(path.join(from, `${name}.d.ts`), 'utf8');
    const referred = [...text.matchAll(/from '(\.[^']*)\.ts'/g)].map(([, specifier]) => specifier!);
    for (const specifier of referred) {
      const other = /^\.\/([\w-]+)$/.exec(specifier)?.[1];
      if (other === undefined) {
        throw new Error(`cdk/${name}.ts exports a type of ${specifier}.ts, which is not in the package`);
      }
      if (!names.includes(other)) {
        names.push(other);
      }
    }
    await writeFile(path.join(to, `${name}.d.ts`), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}
