import { describe, expect, it } from 'vitest';
import { replicated } from '../../../../core/scaledown/drainability/replicated.ts';
import { asked, barePod } from '../given.ts';

describe('rule 8, replicated: a controller creates the pod again', () => {
  it.each<[string, string | null, string, string]>([
    ['no controller', null, 'Block NotReplicated', 'Block NotReplicated'],
    ['a ReplicaSet', 'ReplicaSet/web', '-', '-'],
    ['a ReplicationController', 'ReplicationController/old', '-', '-'],
    ['a StatefulSet', 'StatefulSet/db', '-', '-'],
    ['a Job', 'Job/once', '-', '-'],
    ['a controller that is gone is for rule 3', 'ReplicaSet/gone', '-', '-'],
    ['a kind that is not known', 'CloneSet/web', 'Block NotReplicated', '-'],
    ['a node', 'Node/n', 'Block NotReplicated', '-'],
  ])('%s', (_, owner, skipping, notSkipping) => {
    const pod = barePod(owner === null ? {} : { owner });
    expect(asked(replicated, pod)).toBe(skipping);
    expect(asked(replicated, pod, { options: { skipNodesWithCustomControllerPods: false } })).toBe(notSkipping);
  });
});
