import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Block } from './blocks.ts';
import { DIRECTORIES, runShell } from './shell.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** Type-checks the blocks of TypeScript together, each as a module of its own that imports the package by its name. */
export async function typeFaults(blocks: readonly Block[]): Promise<ReadonlyMap<Block, readonly string[]>> {
  const folder = path.join(DIRECTORIES, 'types');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = blocks.map((block) => ({ block, name: `${block.page.replaceAll(/\W/g, '-')}-${block.line}.ts` }));
  await Promise.all(files.map(({ block, name }) => writeFile(path.join(folder, name), `${block.text}\n`)));
  const config = {
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: { paths: { outrigger: [path.join(ROOT, 'cdk/index.ts')] }, noUnusedLocals: false },
    include: ['*.ts'],
  };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { code, output } = await runShell('npx tsc -p .', folder);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(
    files.map(({ block, name }) => {
      const own = lines.filter((line) => line.startsWith(name));
      return [block, own.length === 0 && code !== 0 && lines.every((line) => !/^\S+\.ts\(/.test(line)) ? lines : own];
    }),
  );
}
