import { expect, test } from 'vitest';
import { simulateDocuments } from '../../../../cli/simulate/run.ts';
import { captured } from '../../captured.ts';

test('text is printed decision by decision, with mistakes beside it', async () => {
  const scenario = (name: string): string =>
    `apiVersion: outrigger.dev/v1alpha1\nkind: Scenario\nmetadata: {name: ${name}}\nnow: "2026-01-01T12:00:00Z"\n`;
  const { code, stdout, stderr } = await captured(
    (streams) => simulateDocuments(['-'], { fit: false, defaults: 'outrigger', output: 'text' }, streams),
    `${scenario('a')}---\nkind: Pod\n---\n${scenario('b')}`,
  );
  expect(code).toBe(2);
  expect(stdout).toBe('a: NotNeeded, no pod needs a new node\n\nb: NotNeeded, no pod needs a new node\n');
  expect(stderr).toContain('document 2');
});
