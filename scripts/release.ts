import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './build/bundle.ts';
import { manifestFiles } from './release/manifests.ts';
import { obstaclesTo } from './release/obstacles.ts';
import { releaseTemplate } from './release/template.ts';

// Builds a release into release/VERSION, the same bytes from the same commit. `--dry-run` builds one of a tree that is not
// tagged, or not committed.
const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, outdir: { type: 'string', default: 'release' } },
});
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
if (!changelog.includes(`\n## [${version}]`)) {
  throw new Error(`CHANGELOG.md has no section of version ${version}`);
}
if (values['dry-run'] !== true) {
  const obstacles = obstaclesTo({
    version,
    changelog,
    changes: run('git', 'status', '--porcelain'),
    tags: run('git', 'tag', '--points-at', 'HEAD').split('\n'),
  });
  if (obstacles.length > 0) {
    throw new Error(`${obstacles.join(', and ')}: build with --dry-run, or commit and tag`);
  }
}

const folder = path.resolve(ROOT, values.outdir, version);
rmSync(folder, { recursive: true, force: true });
mkdirSync(path.join(folder, 'functions'), { recursive: true });
const write = (name: string, content: string | Uint8Array): void => writeFileSync(path.join(folder, name), content);

// Builds dist/ as well.
run('npm', 'pack', '--silent', '--pack-destination', folder);
const { template, code } = releaseTemplate(version, path.join(ROOT, 'dist/functions'));
write('template.json', `${JSON.stringify(template, null, 1)}\n`);
code.forEach((zip, name) => write(`functions/${name}`, zip));
cpSync(path.join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), path.join(folder, 'THIRD-PARTY-LICENSES.txt'));
for (const [source, name] of [
  ['helm/outrigger', 'chart'],
  ['terraform', 'terraform'],
  ['prometheus', 'prometheus'],
] as const) {
  cpSync(path.join(ROOT, 'deploy', source), path.join(folder, name), { recursive: true });
}
for (const [name, text] of Object.entries(manifestFiles())) {
  write(name, text);
}
write('sbom.json', sbom());

const files = globSync('**', { cwd: folder })
  .filter((name) => statSync(path.join(folder, name)).isFile())
  .sort();
const sums = files.map((name) => `${sha256(path.join(folder, name))}  ${name}\n`);
write('SHA256SUMS', sums.join(''));
process.stdout.write(sums.join(''));

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim();
}

/** The packages of the clone as CycloneDX, without the time and the random number of this run, and the name of the folder. */
function sbom(): string {
  const text = run('npm', 'run', '--silent', 'sbom', '--', '--package-lock-only');
  const {
    serialNumber: _,
    metadata,
    ...rest
  } = JSON.parse(text) as {
    readonly serialNumber: string;
    readonly metadata: { readonly timestamp: string; readonly component: object };
  };
  const { timestamp: __, component, ...described } = metadata;
  const named = { ...described, component: { ...component, name: 'outrigger' } };
  return `${JSON.stringify({ ...rest, metadata: named }, null, 1)}\n`;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
