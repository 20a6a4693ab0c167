import { describe, expect, it } from 'vitest';
import { readPersistentVolumeClaim } from '../../manifest-readers.ts';

const metadata = { name: 'x' };

describe('storage', () => {
  it.each([
    ['absent: the default class', {}, {}, null],
    ['empty: none', {}, { storageClassName: '' }, ''],
    ['named', {}, { storageClassName: 'gp3' }, 'gp3'],
    ['annotated', { 'volume.beta.kubernetes.io/storage-class': 'old' }, { storageClassName: 'gp3' }, 'old'],
  ])('the class of a claim is %s', (_what, annotations, spec, storageClass) => {
    const raw = { metadata: { ...metadata, annotations }, spec };
    expect(readPersistentVolumeClaim(raw, '')).toMatchObject({ value: { storageClass } });
  });

  it.each([
    ['Pod', true, 'pod-uid'],
    ['Pod', false, null],
    ['StatefulSet', true, null],
  ])('a claim whose owner is a %s (controller: %s) belongs to the pod %s', (kind, controller, ownerPodUid) => {
    const ownerReferences = [{ kind, name: 'p', uid: 'pod-uid', controller }];
    expect(readPersistentVolumeClaim({ metadata: { ...metadata, ownerReferences } }, '')).toMatchObject({
      value: { ownerPodUid },
    });
  });
});
