import { describe, expect, it } from 'vitest';
import type { Volume } from '../../../../core/model/cluster/pod.ts';
import { localStorage, SAFE_TO_EVICT_LOCAL_VOLUMES } from '../../../../core/scaledown/drainability/local-storage.ts';
import { asked, drainContext, webPod } from '../given.ts';

const host = (name: string): Volume => ({ kind: 'hostPath', name });
const empty = (name: string, medium = ''): Volume => ({ kind: 'emptyDir', name, medium });
const claim: Volume = { kind: 'claim', name: 'data', claimName: 'data', readOnly: false };

describe('rule 11, localstorage: what is on the disk of the node keeps the pod', () => {
  it.each<[string, readonly Volume[], string | null, string]>([
    ['no volume', [], null, '-'],
    ['a claim', [claim], null, '-'],
    ['an ephemeral claim', [{ kind: 'ephemeralClaim', name: 'scratch' }], null, '-'],
    ['a hostPath', [host('logs')], null, 'Block LocalStorageRequested'],
    ['an emptyDir', [empty('tmp')], null, 'Block LocalStorageRequested'],
    ['an emptyDir in memory', [empty('tmp', 'Memory')], null, '-'],
    ['an emptyDir in huge pages', [empty('tmp', 'HugePages-2Mi')], null, 'Block LocalStorageRequested'],
    ['one local volume among others', [claim, empty('tmp')], null, 'Block LocalStorageRequested'],
    ['expendable', [empty('tmp')], 'tmp', '-'],
    ['a hostPath, expendable', [host('logs')], 'logs', '-'],
    ['all of several expendable', [empty('tmp'), host('logs')], 'logs,tmp', '-'],
    ['one of several not expendable', [empty('tmp'), host('logs')], 'tmp', 'Block LocalStorageRequested'],
    ['another one expendable', [empty('tmp')], 'cache', 'Block LocalStorageRequested'],
    ['a blank is part of the name', [empty('tmp'), host('logs')], 'logs, tmp', 'Block LocalStorageRequested'],
    ['nothing named', [empty('tmp')], '', 'Block LocalStorageRequested'],
  ])('%s', (_, volumes, expendable, expected) => {
    const annotations = expendable === null ? {} : { [SAFE_TO_EVICT_LOCAL_VOLUMES]: expendable };
    const pod = webPod({ annotations, spec: { volumes } });
    expect(asked(localStorage, pod)).toBe(expected);
    expect(asked(localStorage, pod, { options: { skipNodesWithLocalStorage: false } })).toBe('-');
  });

  it('names the volume', () => {
    const pod = webPod({
      annotations: { [SAFE_TO_EVICT_LOCAL_VOLUMES]: 'tmp' },
      spec: { volumes: [empty('tmp'), host('logs')] },
    });
    expect(localStorage.decide(pod, drainContext())).toMatchObject({
      message: expect.stringContaining('volume logs') as string,
    });
  });
});
