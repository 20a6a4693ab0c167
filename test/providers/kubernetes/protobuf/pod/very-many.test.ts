import { expect, it } from 'vitest';
import { POD_LISTS } from '../../../../../providers/kubernetes/read/kinds.ts';
import { sectionOf } from '../../../../../providers/manifest/fields.ts';
import type { Invalid } from '../../../../../providers/manifest/invalid.ts';
import { podReader } from '../../../../../providers/manifest/pod.ts';
import { podDecoder } from '../../../../../providers/kubernetes/protobuf/pod.ts';
import { decodeMessage } from '../../../../../providers/kubernetes/protobuf/message.ts';
import { cursorOver } from '../../../../../providers/kubernetes/protobuf/wire.ts';
import { times } from '../../../../scenario-builders.ts';
import { type Json, encodePod } from '../pod-encoder.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const named = (i: number): string => `k${String(i).padStart(5, '0')}`;
const labels = Object.fromEntries(times(300, (i) => [named(i), 'v']));
const requirements = times(300, (i) => ({ key: named(i), operator: 'In', values: ['v'] }));
const selector = { matchLabels: labels, matchExpressions: requirements };
const values = { matchExpressions: [{ key: 'k', operator: 'In', values: times(5_000, named) }] };
const names = times(5_000, named);
const term = (labelSelector: object): object => ({ topologyKey: 'x', labelSelector });
const terms = times(80, (i) => term({ matchLabels: { [named(i)]: 'v' } }));
const nodeTerms = times(80, (i) => ({ matchExpressions: [requirements[i]!], matchFields: [requirements[i]!] }));

/** By what there is more of than is followed. */
const SPECS: Readonly<Record<string, Json>> = {
  'pod affinity terms': { affinity: { podAffinity: { [REQUIRED]: terms } } },
  'pod anti-affinity terms': { affinity: { podAntiAffinity: { [REQUIRED]: terms } } },
  'preferred terms': {
    affinity: { podAntiAffinity: { [PREFERRED]: terms.map((podAffinityTerm) => ({ weight: 1, podAffinityTerm })) } },
  },
  'node affinity terms': { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: nodeTerms } } } },
  'preferred node affinity terms': {
    affinity: { nodeAffinity: { [PREFERRED]: nodeTerms.map((preference) => ({ weight: 1, preference })) } },
  },
  'requirements of a node affinity term': {
    affinity: {
      nodeAffinity: {
        [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: requirements, matchFields: requirements }, values] },
      },
    },
  },
  'requirements of a selector': { affinity: { podAntiAffinity: { [REQUIRED]: [term(selector)] } } },
  'values of a requirement': { affinity: { podAffinity: { [REQUIRED]: [term(values)] } } },
  'names of a term': {
    affinity: {
      podAffinity: {
        [REQUIRED]: [{ topologyKey: 'x', namespaces: names, matchLabelKeys: names, mismatchLabelKeys: names }],
      },
    },
  },
  'topology spread constraints': {
    topologySpreadConstraints: times(30, (i) => ({ topologyKey: named(i), maxSkew: 1, matchLabelKeys: names })),
  },
  'node selector': { nodeSelector: labels },
  tolerations: { tolerations: times(300, (i) => ({ key: named(i), operator: 'Exists' })) },
  'volumes that are not read before those that are': {
    volumes: [
      ...times(300, (i) => ({ name: `map-${i}`, configMap: {} })),
      ...times(300, (i) => ({ name: `disk-${i}`, awsElasticBlockStore: { volumeID: named(i) } })),
    ],
  },
  'host ports': {
    containers: [
      {
        name: 'c',
        ports: [...times(300, (i) => ({ containerPort: i + 1 })), ...times(300, (i) => ({ hostPort: i + 1 }))],
      },
    ],
  },
  containers: {
    containers: times(400, (i) => ({
      name: named(i),
      ports: [{ hostPort: i + 1 }],
      resources: { requests: { cpu: '1m', [`example.com/${named(i)}`]: '1' } },
    })),
  },
};

const podOf = (spec: Json): Json => ({
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'c' }], ...spec },
});

it.each(Object.entries(SPECS))('%s: of more than is followed protobuf says what JSON says', (_, spec) => {
  const problems: Invalid[] = [];
  const fromJson = podReader()(sectionOf(structuredClone(podOf(spec)), '', problems));
  expect(podDecoder()(cursorOver(encodePod(podOf(spec))))).toEqual(fromJson);
  expect(problems).toEqual([]);
});

it('what is beyond that is passed over, and not decoded', () => {
  const raw = decodeMessage(
    POD_LISTS.table,
    cursorOver(encodePod(podOf({ ...SPECS['tolerations'], ...SPECS['node selector'] }))),
  );
  const spec = raw['spec'] as { readonly tolerations: readonly unknown[]; readonly nodeSelector: object };
  expect(spec.tolerations).toHaveLength(257);
  expect(Object.keys(spec.nodeSelector)).toHaveLength(257);
});

it('the requests of all containers count, however many there are', () => {
  const { containers } = podDecoder()(cursorOver(encodePod(podOf(SPECS['containers']!))))!.spec;
  expect(containers).toHaveLength(257);
  expect(containers.reduce((sum, { requests }) => sum + requests['cpu']!, 0)).toBe(400);
});
