import { describe, expect, it } from 'vitest';
import { PLUGIN_NAMES } from '../../../core/model/cluster/plugin-names.ts';
import { PLUGINS } from '../../../core/scheduling/plugins.ts';
import { createScheduler } from '../../../core/scheduling/scheduler.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import { claimVolumes, clusterObjects, node, pod } from '../../builders.ts';
import { fit, rooms } from './fit.ts';

it('runs the plugins in the order of their names in the default profile', () => {
  expect(PLUGINS.map(({ name }) => name)).toEqual(PLUGIN_NAMES);
});

describe('the plugin that says no', () => {
  const taints = [{ key: 'k', value: '', effect: 'NoSchedule' }];
  const demanding = { requests: { cpu: 8 }, spec: { nodeSelector: { disk: 'ssd' } } };

  it('is the first', () => {
    const nodes = [
      node('all', { cpu: 4 }, { unschedulable: true, taints }),
      node('but-cordoned', { cpu: 4 }, { taints }),
      node('but-tainted', { cpu: 4 }),
      node('but-selected', { cpu: 4 }, { labels: { disk: 'ssd' } }),
      node('none', { cpu: 8 }, { labels: { disk: 'ssd' } }),
    ];
    expect(fit(pod('p', demanding), { nodes })).toEqual({
      all: 'NodeUnschedulable',
      'but-cordoned': 'TaintToleration',
      'but-tainted': 'NodeAffinity',
      'but-selected': 'NodeResourcesFit',
      none: 'ok',
    });
  });

  it('is the one that rejects the pod before any node is filtered', () => {
    const nodes = [node('cordoned', {}, { unschedulable: true }), node('open')];
    expect(fit(pod('p', { spec: { volumes: claimVolumes('missing') } }), { nodes })).toEqual({
      cordoned: 'VolumeRestrictions',
      open: 'VolumeRestrictions',
    });
  });

  it('names the missing claim though only some nodes are named', () => {
    const only = [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['open'] }] }];
    const pending = pod('p', { spec: { volumes: claimVolumes('missing'), nodeAffinity: only } });
    expect(fit(pending, { nodes: [node('other'), node('open')] })).toEqual({
      other: 'VolumeRestrictions',
      open: 'VolumeRestrictions',
    });
  });
});

describe('room', () => {
  it('is no more than wanted', () => {
    const objects = clusterObjects({ nodes: [node('n', { pods: 110 })] });
    const snapshot = clusterSnapshot(objects, []);
    const scheduler = createScheduler(snapshot, objects);
    expect(scheduler.room(snapshot.kindOf(pod('p')), snapshot.nodes[0]!, 7)).toBe(7);
  });

  it('is none where the pod may not go', () => {
    expect(rooms(pod('p'), { nodes: [node('n', {}, { unschedulable: true })] })).toEqual({ room: 0, placed: 0 });
  });
});
