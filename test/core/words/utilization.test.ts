import { expect, it } from 'vitest';
import { utilizationText } from '../../../core/words/utilization.ts';

it('the use of a node has each resource and the threshold', () => {
  expect(utilizationText({ cpu: 0.32, memory: 0.4104, threshold: 0.5 })).toBe(
    'CPU 32%, memory 41.1%, the threshold is 50%',
  );
  expect(utilizationText({ gpu: 0, threshold: 0.5 })).toBe('GPU 0%, the threshold is 50%');
});
