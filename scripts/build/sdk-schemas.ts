import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const SCHEMAS = /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/;

/**
 * Lets esbuild leave out the shapes of operations that are not called. The SDK writes keys of its schemas as constants,
 * `{ [_xN]: … }`, and to esbuild a computed key may have an effect, which keeps all 4 000 shapes of EC2 (half a megabyte).
 * Here the keys are written out.
 */
export const sdkSchemas: Plugin = {
  name: 'sdk-schemas',
  setup(build) {
    build.onLoad({ filter: SCHEMAS }, async ({ path }) => ({ contents: withPlainKeys(await readFile(path, 'utf8')) }));
  },
};

/** Writes the constant strings of a module as keys where they are computed ones. */
export function withPlainKeys(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (\w+) = ("[^"\\]*");$/gm)].map(([, name, text]) => [name, text]),
  );
  return source.replaceAll(/\[(\w+)\]:/g, (key, name: string) => {
    const text = constants.get(name);
    return text === undefined ? key : `${text}:`;
  });
}
