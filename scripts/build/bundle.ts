import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { sdkSchemas } from './sdk-schemas.ts';

/** The folder of the sources. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles with all packages that are imported, but for those that `external` names.
 *
 * @returns which inputs are in which output
 */
export async function bundle(options: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    // Packages in CommonJS call `require`, which an ES module does not have. A short name would clash with minified ones.
    banner: {
      js: "import { createRequire as __outriggerCreateRequire } from 'node:module'; const require = __outriggerCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
    ...options,
    plugins: [sdkSchemas, ...(options.plugins ?? [])],
    metafile: true,
  });
  return metafile;
}
