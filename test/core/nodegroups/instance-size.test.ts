import { expect, test } from 'vitest';
import { sizeOfType } from '../../../core/nodegroups/instance-size.ts';

test.each([
  ['m5.large', { family: 'm5', units: 16 }],
  ['m5.xlarge', { family: 'm5', units: 32 }],
  ['m5.24xlarge', { family: 'm5', units: 768 }],
  ['t3a.nano', { family: 't3a', units: 1 }],
  ['m5.metal', null],
  ['m5.metal-48xl', null],
  ['m5', null],
  ['', null],
  ['.large', null],
  ['m5.0xlarge', null],
])('the size of %s', (type, size) => {
  expect(sizeOfType(type)).toEqual(size);
});
