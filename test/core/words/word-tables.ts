import { globSync } from 'node:fs';
import type { Words } from '../../../core/words/words.ts';

const room = new URL('../../../core/words/', import.meta.url);

/** Every table of words that `core/words` has, by its name. */
export async function wordTables(): Promise<
  readonly { readonly table: string; readonly words: Readonly<Record<string, Words>> }[]
> {
  const files = globSync('*.ts', { cwd: room });
  const modules = await Promise.all(files.map(async (file) => (await import(new URL(file, room).href)) as object));
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([table, value]) =>
      isTable(value) ? [{ table, words: value as Readonly<Record<string, Words>> }] : [],
    ),
  );
}

const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((row) => 'sentence' in (row as object));
