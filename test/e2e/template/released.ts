import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { copyOfClone } from '../../package/clone-copy.ts';
import { region } from '../servers/aws-clients.ts';
import { ACCOUNT } from './deployment.ts';
import { resolver } from './resolve.ts';
import type { Resource, Synthesized, Template } from './synthesize.ts';

const execute = promisify(execFile);

/** A release: a folder that has nothing but its files, and the template with its code. */
export interface Release {
  readonly folder: string;
  readonly version: string;
  /** The stack as CloudFormation makes it with these parameters: without the resources whose condition is false. */
  readonly stack: (parameters: Readonly<Record<string, string>>) => Synthesized;
}

/** A change of a file of a clone before the release is built: a text, and its replacement. */
export type Edit = readonly [file: string, from: string, to: string];

/** Releases that are removed together. */
export interface Releases {
  /** Builds a release of a copy of this clone, and unpacks it as a user does. */
  readonly build: (version: string, ...edits: readonly Edit[]) => Promise<Release>;
  readonly remove: () => Promise<void>;
}

export async function openReleases(): Promise<Releases> {
  const place = await mkdtemp(path.join(tmpdir(), 'outrigger-releases-'));
  return {
    async build(version, ...edits) {
      const clone = path.join(place, `clone-${version}`);
      await copyOfClone(clone);
      const { version: current } = JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8')) as {
        readonly version: string;
      };
      const versions: readonly Edit[] = [
        ['package.json', `"version": "${current}"`, `"version": "${version}"`],
        ['CHANGELOG.md', `## [${current}]`, `## [${version}]`],
      ];
      for (const edit of [...versions, ...edits]) await change(clone, edit);
      await execute(process.execPath, ['scripts/release.ts', '--dry-run', '--outdir', path.join(place, 'release')], {
        cwd: clone,
        maxBuffer: 2 ** 26,
        env: { ...process.env, CDK_VALIDATION: 'false' },
      });
      const folder = path.join(place, version);
      await cp(path.join(place, 'release', version), folder, { recursive: true });
      await rm(clone, { recursive: true });
      await execute('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });
      return { folder, version, stack: await stackOf(folder, path.join(place, `code-${version}`)) };
    },
    remove: () => rm(place, { recursive: true, force: true }),
  };
}

async function change(clone: string, [file, from, to]: Edit): Promise<void> {
  const text = await readFile(path.join(clone, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  await writeFile(path.join(clone, file), text.replace(from, to));
}

/** Unpacks the code of a release. */
async function stackOf(folder: string, code: string): Promise<Release['stack']> {
  const file = path.join(folder, 'template.json');
  const template = JSON.parse(await readFile(file, 'utf8')) as Template;
  await mkdir(code);
  const archives = await readdir(path.join(folder, 'functions'));
  const unpack = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
  await Promise.all(
    archives.map((name) =>
      execute('python3', ['-c', unpack, path.join(folder, 'functions', name), path.join(code, name)]),
    ),
  );
  return (parameters) => ({
    template: presentIn(template, parameters),
    file,
    asset: (name) => path.join(code, `${path.basename(name)}.zip`),
  });
}

type Conditional = Resource & { readonly Condition?: string };

function presentIn(template: Template, parameters: Readonly<Record<string, string>>): Template {
  const attribute = (id: string): string => id;
  const resolve = resolver(template, { account: ACCOUNT, region, stack: 'Outrigger', parameters, attribute });
  const present = Object.entries(template.Resources as Readonly<Record<string, Conditional>>).filter(
    ([, { Condition: condition }]) => condition === undefined || resolve({ Condition: condition }) === true,
  );
  return { ...template, Resources: Object.fromEntries(present) };
}
