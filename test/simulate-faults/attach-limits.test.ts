import { expect, test } from 'vitest';
import { CPU } from '../../core/model/values/resources.ts';
import { volumesByCpu } from './attach-limits.ts';

test('a node has CPU for 44 pods with a volume each, beside that of the DaemonSet', () => {
  expect(volumesByCpu({ allocatable: { [CPU]: 2_350 } })).toBe(44);
  expect(volumesByCpu({ allocatable: { [CPU]: 2_349 } })).toBe(43);
});
