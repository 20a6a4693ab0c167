import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { refusedInBundle } from '../dependencies/licenses.ts';
import { ROOT } from './bundle.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Writes the licenses of the packages that are in the bundles: their terms are that these go with them. */
export async function writeLicenses(bundles: readonly Metafile[], outdir: string): Promise<void> {
  const licenses = await Promise.all(packagesIn(bundles).map(licenseOf));
  // Most texts are those of many packages.
  const sections = [...Map.groupBy(licenses, ({ text }) => text)].map(([text, of]) =>
    [...of.map(({ title }) => title), '', text].join('\n'),
  );
  await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES.txt'), sections.join(`\n\n${'-'.repeat(80)}\n\n`));
}

/** The folders of the packages of which something is in an output, in order. */
function packagesIn(bundles: readonly Metafile[]): readonly string[] {
  const inputs = bundles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
  );
  const folders = inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** The package with its version, and the texts of its license files. @throws Error for a license with conditions on the code around it */
async function licenseOf(folder: string): Promise<{ readonly title: string; readonly text: string }> {
  const { name, version, license } = JSON.parse(
    await readFile(path.join(ROOT, folder, 'package.json'), 'utf8'),
  ) as Manifest;
  const refused = refusedInBundle(license);
  if (refused !== null) {
    throw new Error(`${name} may not be in a bundle: ${refused}`);
  }
  const files = (await readdir(path.join(ROOT, folder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(files.sort().map((file) => readFile(path.join(ROOT, folder, file), 'utf8')));
  return {
    title: `${name} ${version}${license === undefined ? '' : ` (${license})`}`,
    text: texts.map((text) => text.trim()).join('\n\n'),
  };
}
