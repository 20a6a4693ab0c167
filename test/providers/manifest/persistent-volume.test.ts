import { describe, expect, it } from 'vitest';
import { readPersistentVolume } from '../../manifest-readers.ts';

const metadata = { name: 'x' };

describe('storage', () => {
  it.each([
    [{ csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } }, { driver: 'ebs.csi.aws.com', handle: 'vol-1' }],
    [{ awsElasticBlockStore: { volumeID: 'vol-1' } }, { driver: 'ebs.csi.aws.com', handle: 'vol-1' }],
    [{ awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } }, { driver: 'ebs.csi.aws.com', handle: 'vol-1' }],
    [{ hostPath: { path: '/data' } }, null],
  ])('PersistentVolume %j is attached by the driver that serves it', (source, csi) => {
    expect(readPersistentVolume({ metadata, spec: source }, '')).toMatchObject({ value: { csi } });
  });
});
