import { Readable, Writable } from 'node:stream';
import { parse } from 'yaml';
import { migrate, type MigrateOptions } from '../../../cli/migrate/run.ts';

/** Output of a run, and its exit code. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly told: string;
}

/** `outrigger migrate` of one file; `-` reads the input. */
export async function run(file: string, input = '', options: MigrateOptions = {}): Promise<Run> {
  const texts = { out: '', told: '' };
  const into = (name: 'out' | 'told'): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout: into('out'), stderr: into('told') };
  const code = await migrate([file], options, streams);
  return { code, ...texts };
}

/** The cluster that is written for a document on standard input. */
export async function migrated(
  document: object,
  options: MigrateOptions = {},
): Promise<Run & { readonly cluster: object }> {
  const ran = await run('-', JSON.stringify(document), options);
  const { clusters } = (parse(ran.out) ?? {}) as { clusters?: readonly object[] };
  return { ...ran, cluster: clusters?.[0] ?? {} };
}
