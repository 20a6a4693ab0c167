import { describe, expect, test } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { selectorKeys } from '../../../../core/model/snapshot/pod-kind.ts';
import { Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { demandRows } from '../../../../core/estimator/demand.ts';
import {
  type PodsByGroup,
  podsThere,
  reservationsOf,
  reservedBy,
} from '../../../../core/scaleup/reservations/reservations.ts';
import { node, pod, type PodOptions } from '../../../builders.ts';
import { times } from '../../../scenario-builders.ts';

const GROUP = groupName('g');
const NONE: PodsByGroup = new Map();

/** A snapshot of a cluster in which these label keys matter, with what waits, and the names of the pods by kind. */
function waiting(pods: readonly Pod[], keys: readonly string[]) {
  const snapshot = new Snapshot({ ...selectorKeys([]), keys });
  const demands = demandRows({ pods, kinds: pods.map((one) => snapshot.kindOf(one)) });
  return { snapshot, demands };
}

/** How many of which pods (the first of each kind) have their place after it was reserved under some keys, under others. */
function kept(pods: readonly Pod[], before: readonly string[], after: readonly string[]) {
  const first = waiting(pods, before);
  const info = first.snapshot.addNode(node('n'), GROUP);
  const reserved = reservedBy(
    first.snapshot,
    first.demands.map(({ kind, pods: of }) => ({ kind, info, count: of.length })),
    NONE,
  );
  const { snapshot, demands } = waiting(pods, after);
  const places = reservationsOf({ ...EMPTY_STATE, reservations: reserved }, snapshot, demands, NONE).get(GROUP)!;
  return Object.fromEntries(demands.map(({ kind, pods: of }) => [of[0]!.name, places.get(kind) ?? 0]));
}

const replicas = (name: string, count: number, options: PodOptions): readonly Pod[] =>
  times(count, (i) => pod(`${name}-${i}`, options));

describe('reservations are found again', () => {
  const web = replicas('web', 3, { labels: { app: 'web' } });
  const api = replicas('api', 2, { labels: { app: 'api', tier: 'back' } });
  const volumes = replicas('db', 3, { spec: { volumes: [{ kind: 'ephemeralClaim', name: 'data' }] } });

  test.each([
    ['where nothing changed', [...web, ...api], ['app'], ['app'], { 'api-0': 2, 'web-0': 3 }],
    ['by pods without the new label', web, ['app'], ['app', 'tier'], { 'web-0': 3 }],
    ['by pods with the new label', [...web, ...api], ['app'], ['app', 'tier'], { 'api-0': 2, 'web-0': 3 }],
    ['where no selector names the label any more', api, ['app', 'tier'], [], { 'api-0': 2 }],
    ['by kinds that were one before', [...web, ...api], [], ['app'], { 'api-0': 2, 'web-0': 3 }],
    ['by kinds that have become one', [...web, ...api], ['app'], [], { 'web-0': 5 }],
    ['by pods with volumes of their own', volumes, [], [], { 'db-0': 1, 'db-1': 1, 'db-2': 1 }],
  ])('%s', (_, pods, before, after, expected) => {
    expect(kept(pods, before, after)).toEqual(expected);
  });

  test('not by pods that merely resemble those that have one', () => {
    const { snapshot, demands } = waiting(web, ['app']);
    const reserved = reservedBy(
      snapshot,
      demands.map(({ kind }) => ({ kind, info: snapshot.addNode(node('n'), GROUP), count: 3 })),
      NONE,
    );
    const others = waiting([...replicas('a', 2, { labels: { app: 'a' } }), ...web], ['app']);
    const places = reservationsOf(
      { ...EMPTY_STATE, reservations: reserved },
      others.snapshot,
      others.demands,
      NONE,
    ).get(GROUP)!;
    expect(others.demands.map(({ kind }) => places.get(kind) ?? 0)).toEqual([0, 3]);
  });
});

describe('places of pods that have come', () => {
  const web = replicas('web', 5, { labels: { app: 'web' } });
  /** How many places are left when so many of five pods, of which three have places, are on a node of the group. */
  const placesAfter = (before: number, now: number): number => {
    const cluster = (on: number) => {
      const { snapshot, demands } = waiting(web, ['app']);
      const info = snapshot.addNode(node('n'), GROUP);
      const [{ kind }] = demands as [(typeof demands)[number]];
      if (on > 0) {
        snapshot.place(kind, info, on);
      }
      return { snapshot, demands, info, kind, there: podsThere(snapshot, demands) };
    };
    const then = cluster(before);
    const reservations = reservedBy(then.snapshot, [{ kind: then.kind, info: then.info, count: 3 }], then.there);
    const later = cluster(now);
    return reservationsOf({ ...EMPTY_STATE, reservations }, later.snapshot, later.demands, later.there)
      .get(GROUP)!
      .get(later.kind)!;
  };

  test.each([
    { what: 'none has come', before: 0, now: 0, left: 3 },
    { what: 'one has come', before: 0, now: 1, left: 2 },
    { what: 'one has come beside others', before: 4, now: 5, left: 2 },
    { what: 'more have come than there were places', before: 1, now: 6, left: 0 },
    { what: 'others have gone', before: 4, now: 2, left: 3 },
  ])('$what', ({ before, now, left }) => {
    expect(placesAfter(before, now)).toBe(left);
  });

  test('are kept where an older version did not count the pods', () => {
    const { snapshot, demands } = waiting(web, ['app']);
    const [{ kind }] = demands as [(typeof demands)[number]];
    snapshot.place(kind, snapshot.addNode(node('n'), GROUP), 2);
    const reservations = { [GROUP]: [{ kind: snapshot.kinds.fingerprint(kind), count: 3, existing: undefined }] };
    const there = podsThere(snapshot, demands);
    const places = reservationsOf({ ...EMPTY_STATE, reservations }, snapshot, demands, there);
    expect(places.get(GROUP)!.get(kind)).toBe(3);
  });
});
