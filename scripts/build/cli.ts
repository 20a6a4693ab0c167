import path from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { type Assets, bundlePage } from '../../cli/html/assets.ts';
import { bundle, ROOT } from './bundle.ts';

/**
 * Bundles the command line into `cli/main.js` and chunks, of which a command loads those that it needs. With its packages
 * in it, it starts without resolving hundreds of files, and has nothing else installed. It is not minified: a stack
 * has the names of the sources.
 */
export async function buildCli(outdir: string): Promise<Metafile> {
  const { assets, metafile: ofPage } = await bundlePage();
  const ofCli = await bundle({
    entryPoints: [
      { in: 'cli/main.ts', out: 'cli/main' },
      // Beside the chunk that starts it.
      { in: 'cli/backtest/play-worker.ts', out: 'cli/chunks/play-worker' },
    ],
    outdir,
    chunkNames: 'cli/chunks/[name]-[hash]',
    splitting: true,
    minify: false,
    target: 'node20',
    alias: { undici: path.join(ROOT, 'scripts/build/undici.ts') },
    plugins: [ONLY_WHAT_IS_USED, withPage(assets)],
  });
  return { inputs: ofCli.inputs, outputs: { ...ofPage.outputs, ...ofCli.outputs } };
}

/** The page of `--html` is bundled now: where the package is installed there is no bundler. */
const withPage = (assets: Assets): Plugin => ({
  name: 'with page',
  setup(build) {
    build.onLoad({ filter: /cli\/html\/assets\.ts$/ }, () => ({
      contents: `export const pageAssets = async () => (${JSON.stringify(assets)});`,
    }));
  },
});

/** Only the kubeconfig of the Kubernetes client is used; the generated clients of all APIs are most of its size. */
const ONLY_WHAT_IS_USED: Plugin = {
  name: 'only what is used',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path: specifier, pluginData, ...from }) => {
      const inClient = specifier === '@kubernetes/client-node' || from.resolveDir.includes('@kubernetes/client-node');
      if (pluginData === RESOLVING || !inClient) {
        return undefined;
      }
      return { ...(await build.resolve(specifier, { ...from, pluginData: RESOLVING })), sideEffects: false };
    });
  },
};

const RESOLVING = Symbol('resolving');
