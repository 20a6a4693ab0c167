import type { Decision, PodOutcome } from '../../../../core/model/decision.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { node, pod, type PodOptions } from '../../../builders.ts';
import { group, scenario, type ScenarioGiven } from '../../../scenario-builders.ts';

/** Two nodes of 4 cpu in a group that may grow, and pods. */
export const cluster = (given: ScenarioGiven = {}): Scenario =>
  scenario({
    groups: [group('g', { nodes: ['n1', 'n2'] })],
    nodes: [node('n1', { cpu: 4, memory: '16Gi' }), node('n2', { cpu: 4, memory: '16Gi' })],
    ...given,
  });

export const waiting = (name: string, options: PodOptions = {}): Pod => pod(name, { requests: { cpu: 3 }, ...options });
export const runningOn = (home: string, name: string, options: PodOptions = {}): Pod =>
  pod(name, { node: home, requests: { cpu: 3 }, owner: 'ReplicaSet/web', ...options });

export const rows = ({ scaleUp }: Decision): Readonly<Record<string, PodOutcome['outcome']>> =>
  Object.fromEntries(scaleUp.pods.map(({ pod: key, outcome }) => [key.replace('default/', ''), outcome]));
export const growth = ({ scaleUp }: Decision): number =>
  scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
export const reasonOf = ({ scaleUp }: Decision, name: string): string | undefined =>
  scaleUp.pods.find(({ pod: key }) => key === `default/${name}`)?.reasons?.[0]?.reason;
