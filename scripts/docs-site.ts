import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import config from './docs-site/config.ts';
import { deadLinks } from './docs-site/links.ts';

// `npm run docs:site`: builds the site of the documentation into site/VERSION, and checks its links. VitePress and its packages are
// installed into .cache by a lock file of their own: few need them. `DOCS_SITE_BASE=/outrigger/` is for a site that is not at the root of its host.
const SOURCES = path.join(import.meta.dirname, 'docs-site');
const WORKSHOP = path.join(import.meta.dirname, '../.cache/docs-site');
mkdirSync(path.join(WORKSHOP, '.vitepress'), { recursive: true });
installPackages();

const pages = path.join(WORKSHOP, config.srcDir);
rmSync(pages, { recursive: true, force: true });
cpSync(path.join(import.meta.dirname, '../docs'), pages, { recursive: true });
const settings = path.join(SOURCES, 'config.ts');
writeFileSync(path.join(WORKSHOP, '.vitepress/config.ts'), `export { default } from ${JSON.stringify(settings)};\n`);
run('node_modules/.bin/vitepress', 'build');

const newest = `<!doctype html>\n<meta http-equiv="refresh" content="0; url=${path.basename(config.outDir)}/">\n`;
writeFileSync(path.join(config.outDir, '../index.html'), newest);
const dead = deadLinks(config.outDir, config.base);
process.stdout.write(
  dead.length === 0
    ? `${globSync('**/*.html', { cwd: config.outDir }).length} pages in ${config.outDir}: all links lead somewhere\n`
    : `${dead.join('\n')}\n`,
);
process.exitCode = dead.length === 0 ? 0 : 1;

function installPackages(): void {
  const files = ['package.json', 'package-lock.json'];
  const text = (folder: string): string => files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('');
  if (existsSync(path.join(WORKSHOP, 'node_modules/.package-lock.json')) && text(SOURCES) === text(WORKSHOP)) {
    return;
  }
  files.forEach((file) => cpSync(path.join(SOURCES, file), path.join(WORKSHOP, file)));
  run('npm', 'ci', '--no-audit', '--no-fund');
}

/** Runs a command of the site. Its output is shown if it fails, and the process ends with 1. */
function run(command: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: WORKSHOP, encoding: 'utf8' });
  if (status !== 0) {
    process.stderr.write(stdout + stderr);
    process.exit(1);
  }
}
