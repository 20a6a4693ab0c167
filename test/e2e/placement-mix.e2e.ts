import type { V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { randomFrom } from '../../core/model/values/random.ts';
import { openCluster } from './cluster.ts';
import { allowOptions } from './local-rights.ts';
import { recordNominated, REGISTERS_CLOSED } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';

/** A multiple of five. For a measurement: `OUTRIGGER_E2E_MIX=2000`. */
const PODS = Number(process.env['OUTRIGGER_E2E_MIX'] ?? 300);
/** `own`: pods are spread over pods of their own label, as those of a Deployment are, and not over those of a label that is drawn. */
const SPREAD_OVER = process.env['OUTRIGGER_E2E_MIX_SPREAD'] ?? 'drawn';
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const TYPES = ['c5.xlarge', 'c5.2xlarge', 'c5.4xlarge'];
const BOOT_MS = 5_000;
/**
 * Minimum share of the pods that run on their nominated node. A pod with a spread constraint or pod affinity loses its
 * nomination if the pods that it depends on do not run yet; kube-scheduler then chooses any node.
 */
const GOAL = 0.95;
/**
 * Share of all pods; the figure that counts is the printed one, below this something is broken. Where five processes share each core,
 * nodes open half a minute late, and 47 % of the pods run where they were nominated to.
 */
const LIMIT = 0.25;
/** Share of the nominated pods that depend on no pods but for those on their node. On such a machine it is 73 %. */
const LIMIT_OF_INDEPENDENT = 0.5;
const PATIENCE_MS = 900_000;

test(`${PODS} pods of the mix of Karpenter's scheduling benchmark run where the plan has them`, async () => {
  const name = 'placement-mix';
  const cluster = await openCluster(name);
  await allowOptions(cluster, { plannedPlacement: true });
  for (const instanceType of TYPES) {
    const group = instanceType.replace('.', '-');
    await cluster.createGroups({ name: group, instanceType, zones: ZONES, max: PODS, tags: REGISTERS_CLOSED });
  }
  cluster.bridge(BOOT_MS);
  const options = await cluster.optionsFile({ plannedPlacement: true, scaleDownEnabled: false });
  await cluster.outriggerWithWebhook('outrigger', `--options=${options}`);

  const nominated = recordNominated(cluster);
  const openings = recordOpenings(cluster);
  const start = performance.now();
  const pods = mix(PODS);
  await Promise.all(pods.map((pod) => cluster.kube.create(`/api/v1/namespaces/${name}/pods`, pod)));
  const running = await cluster.kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `${PODS} running pods`,
    timeoutMs: PATIENCE_MS,
    holds: (objects) => objects.length === PODS && objects.every(({ status }) => status?.phase === 'Running'),
    describe: (objects) => `${objects.filter(({ status }) => status?.phase === 'Running').length} running`,
  });
  const seconds = (performance.now() - start) / 1_000;
  nominated.stop();
  openings.stop();

  const asPlanned = nominated.asPlanned(running);
  const sizes = Object.entries(await cluster.sizes()).filter(([, size]) => size > 0);
  const percent = (part: number): string => `${((100 * part) / PODS).toFixed(1)} %`;
  process.stdout.write(
    [
      `${name}: ${PODS} pods on ${sizes.reduce((sum, [, size]) => sum + size, 0)} nodes (${sizes.map(([group, size]) => `${group} ${size}`).join(', ')})`,
      `all running after ${seconds.toFixed(1)} s, ${cluster.recorder.sizeChanges().length} sizes set`,
      `nominated ${percent(nominated.to.size)}, run where they were nominated to ${percent(asPlanned)} (goal: ${percent(GOAL * PODS)})`,
      ...KINDS.map((kind) => {
        const of = running.filter(({ metadata }) => metadata?.name?.startsWith(`${kind}-`));
        const asked = of.filter(({ metadata }) => nominated.to.has(metadata?.name ?? '')).length;
        return `  ${kind}: ${of.length} pods, ${asked} nominated, ${nominated.asPlanned(of)} of them where they run`;
      }),
      `from readiness to open: ${spreadInWords(openings.held())}`,
      '',
    ].join('\n'),
  );
  expect(asPlanned).toBeGreaterThanOrEqual(LIMIT * PODS);
  const independent = running.filter(({ metadata }) => /^(?:generic|apart)-/.test(metadata?.name ?? ''));
  const asked = independent.filter(({ metadata }) => nominated.to.has(metadata?.name ?? '')).length;
  expect(nominated.asPlanned(independent)).toBeGreaterThanOrEqual(LIMIT_OF_INDEPENDENT * asked);
});

const KINDS = ['generic', 'zonal', 'host', 'affine', 'apart'];

/**
 * Fifths of five kinds of constraints; the sizes, labels and their draws are those of the benchmark. What pods are spread over is drawn
 * there, too: six of seven are spread by pods of other labels than their own.
 */
function mix(count: number): readonly V1Pod[] {
  const random = randomFrom(42);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const letter = (): string => pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const pod = (podName: string, labels: Readonly<Record<string, string>>, constraint: Partial<V1PodSpec>): V1Pod => {
    const requests = {
      cpu: pick(['100m', '250m', '500m', '1', '1500m']),
      memory: pick(['100Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi']),
    };
    return {
      metadata: { name: podName, labels: { ...labels } },
      spec: { ...constraint, containers: [{ name: 'main', image: 'registry.test/main', resources: { requests } }] },
    };
  };
  const spread = (name: string, topologyKey: string): V1Pod => {
    const labels = { 'my-label': letter() };
    const drawn = { 'my-label': letter() };
    const labelSelector = { matchLabels: SPREAD_OVER === 'own' ? labels : drawn };
    return pod(name, labels, {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
    });
  };
  const term = (topologyKey: string, matchLabels: Record<string, string>) => [
    { topologyKey, labelSelector: { matchLabels } },
  ];
  const fifth = (make: (i: number) => V1Pod): readonly V1Pod[] => Array.from({ length: count / 5 }, (_, i) => make(i));
  return [
    ...fifth((i) => pod(`generic-${i}`, { 'my-label': letter() }, {})),
    ...fifth((i) => spread(`zonal-${i}`, 'topology.kubernetes.io/zone')),
    ...fifth((i) => spread(`host-${i}`, 'kubernetes.io/hostname')),
    ...fifth((i) => {
      const labels = { 'my-affininity': letter() };
      return pod(`affine-${i}`, labels, {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term('topology.kubernetes.io/zone', labels) },
        },
      });
    }),
    ...fifth((i) =>
      pod(
        `apart-${i}`,
        { app: 'nginx' },
        {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: term('kubernetes.io/hostname', { app: 'nginx' }),
            },
          },
        },
      ),
    ),
  ];
}
