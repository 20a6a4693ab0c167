import { required } from '@outrigger/core/model/values/existing.ts';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

/** The script and the style of the page. */
export interface Assets {
  readonly script: string;
  readonly style: string;
}

/**
 * The script and the style of the page, bundled from `page/`: in a clone now, and in the package when the package was built
 * (`scripts/build/cli.ts`).
 */
export const pageAssets = async (): Promise<Assets> => (await bundlePage()).assets;

/** Bundles the page. The second part says which packages are in it. */
export async function bundlePage(): Promise<{ readonly assets: Assets; readonly metafile: Metafile }> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: ['cli/html/page/main.ts', 'cli/html/page/page.css'],
    outdir: 'page',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    // A script that is part of a page, for the browsers of the last years.
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    logLevel: 'warning',
  });
  const textOf = (ending: string): string =>
    required(
      outputFiles.find(({ path }) => path.endsWith(ending)),
      ending,
    ).text;
  return { assets: { script: textOf('.js'), style: textOf('.css') }, metafile };
}
