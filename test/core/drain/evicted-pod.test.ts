import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abridged, evictedPod } from '../../../core/drain/evicted-pod.ts';
import { isDaemon, type Pod } from '../../../core/model/cluster/pod.ts';
import { KindTable, selectorKeys } from '../../../core/model/snapshot/pod-kind.ts';
import { ResourceTable } from '../../../core/model/snapshot/resource-table.ts';
import { container, pod, selector, spreadConstraint } from '../../builders.ts';

const many = (count: number, of: (n: number) => readonly [string, string]): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => of(n)));

const spread = (...keys: readonly string[]) =>
  spreadConstraint('zone', selector({ app: 'web' }), { matchLabelKeys: keys });

/** The fingerprints that two pods have among each other: one where they are of one kind. */
const fingerprints = (...pods: readonly Pod[]): ReadonlySet<string> => {
  const kinds = new KindTable(new ResourceTable(), selectorKeys(pods));
  return new Set(pods.map((one) => kinds.fingerprint(kinds.of({ ...one, nodeName: null, deletedAt: null }))));
};

const plain = pod('web-1', {
  node: 'n1',
  owner: 'ReplicaSet/web',
  labels: { app: 'web', 'pod-template-hash': 'x' },
  annotations: { 'outrigger.dev/atomic': 'true', 'example.com/other': 'large' },
  requests: { cpu: 1, memory: '1Gi' },
  spec: { topologySpread: [spread('pod-template-hash')] },
});

describe('an evicted pod', () => {
  it('is remembered with its spec and labels, and with those annotations that are read', () => {
    expect(evictedPod(plain)).toEqual({ manifest: { ...plain, annotations: { 'outrigger.dev/atomic': 'true' } } });
  });

  it('is of one kind with its replacement, however many labels it has', () => {
    const labels = { ...plain.labels, ...many(2_000, (n) => [`a${n}`, 'x'.repeat(63)]) };
    const [evicted, replacement] = [pod('web-1', { ...plain, labels }), pod('web-2', { ...plain, labels })];
    const { manifest, abridged: less } = evictedPod(evicted);
    expect(less).toBeUndefined();
    expect(manifest.labels).toMatchObject(plain.labels);
    expect(fingerprints(manifest, replacement).size).toBe(1);
  });

  it('keeps of its labels always the same, whatever order they come in', () => {
    const labels = many(2_000, (n) => [`a${n}`, 'x'.repeat(63)]);
    const reversed = Object.fromEntries(Object.entries(labels).reverse());
    const [one, other] = [labels, reversed].map((given) => evictedPod({ ...plain, labels: given }));
    expect(one).toEqual(other);
    expect(evictedPod(one!.manifest)).toEqual(one);
  });

  it('has no spec where that is too large, but what the drain asks about', () => {
    const terms = Array.from({ length: 500 }, (_, n) => spread(`key-${n}`));
    const spec = {
      ...plain.spec,
      topologySpread: terms,
      priority: 7,
      terminationGracePeriodSeconds: 77,
      volumes: [{ kind: 'claim', name: 'v', claimName: 'c'.repeat(100_000), readOnly: true } as const],
    };
    const { manifest, abridged: less } = evictedPod({ ...plain, spec });
    expect(less).toBe(true);
    expect(manifest).toMatchObject({ name: 'web-1', controller: plain.controller });
    expect(manifest.spec).toMatchObject({ priority: 7, terminationGracePeriodSeconds: 77, topologySpread: [] });
    expect(manifest.spec.volumes.map(({ kind }) => kind)).toEqual(['claim']);
    expect(JSON.stringify(manifest).length).toBeLessThan(2_000);
  });

  it('is still a DaemonSet’s where it says so by annotation', () => {
    const annotations = { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' };
    expect(isDaemon(evictedPod({ ...plain, annotations }).manifest)).toBe(true);
    expect(isDaemon(abridged(evictedPod({ ...plain, annotations }).manifest).manifest)).toBe(true);
  });

  it('has no controller where its name is none that an object can have', () => {
    const controller = { ...plain.controller!, name: 'x'.repeat(500_000) };
    expect(evictedPod({ ...plain, controller }).manifest.controller).toBeNull();
  });

  it('takes no more than 30 KB, whatever its owner wrote', () => {
    const text = fc.integer({ min: 0, max: 300_000 }).map((length) => 'x'.repeat(length));
    fc.assert(
      fc.property(text, text, text, text, fc.nat(3_000), (value, owner, name, reason, labels) => {
        const given: Pod = {
          ...plain,
          labels: many(labels, (n) => [`l${n}`, 'y'.repeat(63)]),
          annotations: { 'karpenter.sh/do-not-disrupt': value, 'outrigger.dev/atomic': value },
          controller: { ...plain.controller!, name: owner, uid: owner },
          unscheduled: { reason, since: null },
          spec: { ...plain.spec, containers: [{ ...container({ cpu: 1 }), name }] },
        };
        expect(JSON.stringify(evictedPod(given)).length).toBeLessThan(30 * 1024);
      }),
      { numRuns: 100 },
    );
  });
});
