import { describe, expect, it } from 'vitest';
import { readNode } from '../../manifest-readers.ts';

const metadata = { name: 'x' };

describe('Node', () => {
  it('takes its capacity for allocatable where it does not say', () => {
    expect(readNode({ metadata, status: { capacity: { cpu: '2' } } }, '')).toMatchObject({
      value: { capacity: { cpu: 2_000 }, allocatable: { cpu: 2_000 } },
    });
  });

  it('rounds its amounts up to whole units', () => {
    const status = { allocatable: { memory: '1500m', cpu: '1500u' } };
    expect(readNode({ metadata, status }, '')).toMatchObject({ value: { allocatable: { memory: 2, cpu: 2 } } });
  });

  it('keeps taints, cordon, provider ID and conditions', () => {
    const spec = {
      providerID: 'aws:///us-east-1a/i-1',
      unschedulable: true,
      taints: [
        { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
        { key: 'cordon', effect: 'NoExecute' },
      ],
    };
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: null }];
    expect(readNode({ metadata, spec, status: { conditions } }, '')).toMatchObject({
      value: {
        providerId: 'aws:///us-east-1a/i-1',
        unschedulable: true,
        taints: [
          { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
          { key: 'cordon', value: '', effect: 'NoExecute' },
        ],
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', since: null }],
      },
    });
  });
});
