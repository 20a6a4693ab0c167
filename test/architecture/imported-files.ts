import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The folders that are packages of their own, with `exports`. */
export const PACKAGES = ['core', 'providers', 'cdk', 'simulation'] as const;

// Imports of types count: what a file is about hangs on them, too.
const IMPORT = /^(?:import|export)\s[\w\s{},*]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;
const OWN = '@outrigger/';

/** An import of a file. */
export interface Import {
  readonly specifier: string;
  /** The imported file, from the root of the tree; `null`: a library. */
  readonly file: string | null;
}

/** @param file from the root of the tree */
export function importsOf(file: string): readonly Import[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(IMPORT)].map(([, from, bare, dynamic]) => {
    const specifier = (from ?? bare ?? dynamic)!;
    return { specifier, file: fileOf(file, specifier) };
  });
}

const fileOf = (file: string, specifier: string): string | null => {
  if (specifier.startsWith('.')) {
    return relative(ROOT, join(ROOT, dirname(file), specifier));
  }
  return specifier.startsWith(OWN) ? specifier.slice(OWN.length) : null;
};
