import { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { simulateDocuments } from '../../../../cli/simulate/run.ts';

test('text is printed decision by decision, with mistakes beside it', async () => {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const scenario = (name: string): string =>
    `apiVersion: outrigger.dev/v1alpha1\nkind: Scenario\nmetadata: {name: ${name}}\nnow: "2026-01-01T12:00:00Z"\n`;
  const stdin = Readable.from([`${scenario('a')}---\nkind: Pod\n---\n${scenario('b')}`]);
  const code = await simulateDocuments(
    ['-'],
    { fit: false, defaults: 'outrigger', output: 'text' },
    { stdin, stdout: into('stdout'), stderr: into('stderr') },
  );
  expect(code).toBe(2);
  expect(written.stdout).toBe('a: NotNeeded, no pod needs a new node\n\nb: NotNeeded, no pod needs a new node\n');
  expect(written.stderr).toContain('document 2');
});
