import { expect, it } from 'vitest';
import { boundedPodSpec } from '../../../../core/model/cluster/bounded-pod-spec.ts';
import { specRequests } from '../../../../core/model/cluster/pod-requests.ts';
import { sectionOf } from '../../../../providers/manifest/fields.ts';
import { podReader, writePod } from '../../../../providers/manifest/pod.ts';
import { times } from '../../../scenario-builders.ts';

const read = (spec: object) => podReader()(sectionOf({ metadata: { name: 'p', namespace: 'default' }, spec }, '', []));

const term = (i: number) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { [`k${i}`]: 'v' } } });

const SPECS: readonly (readonly [string, object])[] = [
  [
    'affinity terms',
    { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: times(8_000, term) } } },
  ],
  ['spread constraints', { topologySpreadConstraints: times(8_000, (i) => ({ topologyKey: `x/${i}`, maxSkew: 1 })) }],
  ['volumes', { volumes: times(8_000, (i) => ({ name: `v${i}`, emptyDir: {} })) }],
  ['containers', { containers: times(8_000, (i) => ({ name: `c${i}`, resources: { requests: { cpu: '1m' } } })) }],
  ['tolerations', { tolerations: times(8_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }],
  [
    'label keys',
    {
      topologySpreadConstraints: [
        {
          topologyKey: 'zone',
          labelSelector: { matchLabels: Object.fromEntries(times(8_000, (i) => [`k${i}`, 'v'])) },
        },
      ],
    },
  ],
];

it.each(SPECS)(
  'of very many %s no more is kept than shows that there are too many, read and written again too',
  (_, spec) => {
    const pod = read(spec);
    expect(JSON.stringify(pod).length).toBeLessThan(50_000);
    expect(boundedPodSpec(pod.spec).tooMany).toMatch(/^too many /);
    const again = podReader()(sectionOf(JSON.parse(JSON.stringify(writePod(pod))), '', []));
    expect(again.spec).toEqual(pod.spec);
  },
);

it.each(['containers', 'initContainers'] as const)(
  'very many %s count with all of their requests and tell that their host ports are too many',
  (key) => {
    const { spec } = read({
      [key]: times(1_000, (i) => ({
        name: `c${i}`,
        restartPolicy: 'Always',
        resources: { requests: { cpu: '2m', memory: '1Ki', [`example.com/r${i}`]: '1' } },
        ports: [{ containerPort: 80, hostPort: 1_000 + i }],
      })),
    });
    expect(specRequests(spec)).toMatchObject({ cpu: 2_000, memory: 1_000 * 1_024 });
    expect(boundedPodSpec(spec)).toMatchObject({
      tooMany: expect.stringMatching(/^too many containers/),
      closesNode: true,
    });
    expect(spec[key]).toHaveLength(257);
    expect(Object.keys(spec[key].at(-1)!.requests).length).toBeLessThanOrEqual(32);
  },
);
