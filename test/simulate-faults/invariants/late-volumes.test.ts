import { describe, expect, test } from 'vitest';
import { POD_SPEC } from '../../builders.ts';
import { POOL_LABEL } from '../pools.ts';
import type { Stage } from './invariant.ts';
import { watchLateVolumes } from './late-volumes.ts';

interface Told {
  /** Where the pod of the volume is; `null`: it has gone. */
  readonly pod?: string | null;
  readonly attached?: boolean;
  readonly ofVolumes?: boolean;
  /** The group that grows. */
  readonly group?: string;
  readonly to?: number;
}

/** A group grows from one node, and a volume is detached from a node of the red pool twice: how often does that count? */
function late({ pod = null, attached = true, ofVolumes = true, group = 'red-a', to = 2 }: Told): number {
  const claim = { kind: 'claim', claimName: 'data' };
  const volumes = watchLateVolumes({
    scenario: {
      pools: [
        { name: 'red', units: 4, groups: ['red-a'], ...(ofVolumes && { ofVolumes }) },
        { name: 'blue', units: 4, groups: ['blue-a'], ofVolumes: true },
      ],
    },
    world: {
      api: {
        nodes: new Map([['n', { name: 'n', labels: { [POOL_LABEL]: 'red' } }]]),
        pods: new Map(
          pod === null ? [] : [['p', { namespace: 'default', nodeName: pod, spec: { ...POD_SPEC, volumes: [claim] } }]],
        ),
        storage: () => ({
          persistentVolumeClaims: [{ namespace: 'default', name: 'data', volumeName: 'v' }],
          volumeAttachments: [{ nodeName: 'n', persistentVolume: 'v', attached }],
        }),
      },
    },
  } as unknown as Stage);
  volumes.committed({ intents: [{ kind: 'SetSize', group, from: 1, to }] } as never);
  expect(volumes.isLate({ kind: 'VolumeDetached', volume: 'other', node: 'n', at: 1 } as never)).toBe(false);
  return [1, 2].filter((at) => volumes.isLate({ kind: 'VolumeDetached', volume: 'v', node: 'n', at } as never)).length;
}

describe('a volume that is detached after nodes were bought', () => {
  test.each<[string, Told, number]>([
    ['counts once, where its pod had gone', {}, 1],
    ['where its pod had come to another node', { pod: 'm' }, 1],
    ['not where its pod was still there', { pod: 'n' }, 0],
    ['not where it was attached later', { attached: false }, 0],
    ['not where volumes take no room', { ofVolumes: false }, 0],
    ['not where nodes of another pool were bought', { group: 'blue-a' }, 0],
    ['not where none were', { to: 0 }, 0],
  ])('%s %#', (_, told, expected) => {
    expect(late(told)).toBe(expected);
  });
});
