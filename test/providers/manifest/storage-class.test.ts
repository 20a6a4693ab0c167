import { describe, expect, it } from 'vitest';
import { readStorageClass } from '../../manifest-readers.ts';

describe('storage', () => {
  it('a StorageClass keeps where its volumes may be', () => {
    const raw = {
      metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'ebs.csi.aws.com',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
    };
    expect(readStorageClass(raw, '')).toMatchObject({
      value: {
        bindingMode: 'Immediate',
        isDefault: true,
        allowedTopologies: [[{ key: 'zone', operator: 'In', values: ['a', 'b'] }]],
      },
    });
  });
});
