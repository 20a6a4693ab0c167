import { expect, it } from 'vitest';
import { followed } from '../../../../core/model/followed.ts';
import { podReader, writePod } from '../../../../providers/kubernetes/manifest/pod.ts';
import { times } from '../../../scenario-builders.ts';

const read = (spec: object) => podReader()({ metadata: { name: 'p', namespace: 'default' }, spec }, '', []);

const term = (i: number) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { [`k${i}`]: 'v' } } });

const SPECS: readonly (readonly [string, object])[] = [
  [
    'affinity terms',
    { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: times(8_000, term) } } },
  ],
  ['spread constraints', { topologySpreadConstraints: times(8_000, (i) => ({ topologyKey: `x/${i}`, maxSkew: 1 })) }],
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
  'of very many %s no more is kept than tells that there are too many, read and written again too',
  (_, spec) => {
    const pod = read(spec);
    expect(JSON.stringify(pod).length).toBeLessThan(50_000);
    expect(followed(pod.spec).tooMany).toMatch(/^too many /);
    const again = podReader()(JSON.parse(JSON.stringify(writePod(pod))), '', []);
    expect(again.spec).toEqual(pod.spec);
  },
);
