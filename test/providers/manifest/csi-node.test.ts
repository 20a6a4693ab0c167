import { describe, expect, it } from 'vitest';
import { readCsiNode } from '../../manifest-readers.ts';

const metadata = { name: 'x' };

describe('storage', () => {
  it('a CSINode without a count attaches any number of volumes', () => {
    const drivers = [
      { name: 'a', nodeID: 'i-1', allocatable: { count: 25 } },
      { name: 'b', nodeID: 'i-1' },
    ];
    expect(readCsiNode({ metadata, spec: { drivers } }, '')).toMatchObject({
      value: { drivers: [{ count: 25 }, { count: null }] },
    });
  });
});
