import { expect, it } from 'vitest';
import { readNamespace } from '../../manifest-readers.ts';

it('a Namespace bears its name as a label', () => {
  expect(readNamespace({ metadata: { name: 'team-a', labels: { tier: 'gold' } } }, '')).toMatchObject({
    value: { labels: { tier: 'gold', 'kubernetes.io/metadata.name': 'team-a' } },
  });
});
