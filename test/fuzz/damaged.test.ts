import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inForceAt } from '../../core/model/schedule.ts';
import { parseQuantity } from '../../core/model/values/quantity.ts';
import { epochMs } from '../../core/model/values/time.ts';
import { ApiError } from '../../providers/kubernetes/client/api-error.ts';
import { JSON_TYPE } from '../../providers/kubernetes/client/api-request.ts';
import { PROTOBUF } from '../../providers/kubernetes/protobuf/envelope.ts';
import { POD_LISTS } from '../../providers/kubernetes/read/kinds.ts';
import { pageReader } from '../../providers/kubernetes/read/page.ts';
import { readPriorityTiers } from '../../providers/manifest/priority-tiers.ts';
import { parseDocuments, parseYamlDocuments } from '../../providers/scenario/documents.ts';
import { parseCapacitySchedules } from '../../providers/schema/capacity-schedules.ts';
import { parseNodeBudgets } from '../../providers/schema/node-budgets.ts';
import { cases } from '../cases.ts';
import { encodePod, type Json } from '../providers/kubernetes/protobuf/pod-encoder.ts';
import { listOf } from '../providers/kubernetes/wire-encoder.ts';

/** A change of a few bytes, by shares of the whole: it fits bytes of every length. */
interface Damage {
  readonly at: number;
  readonly removed: number;
  readonly added: Uint8Array;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const damages = fc.array(fc.record<Damage>({ at: share, removed: fc.nat(8), added: fc.uint8Array({ maxLength: 8 }) }), {
  minLength: 1,
  maxLength: 6,
});

const damaged = (whole: Buffer, all: readonly Damage[]): Buffer =>
  all.reduce((bytes, { at, removed, added }) => {
    const start = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)]);
  }, whole);

/** The error of a reader; `null` where it returns. */
function thrownBy(read: () => unknown): unknown {
  try {
    read();
    return null;
  } catch (error) {
    return error;
  }
}

const pod = (name: string): Json => ({
  metadata: { name, namespace: 'default', uid: name, labels: { app: name }, annotations: { note: 'größe' } },
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
    tolerations: [{ key: 'a', operator: 'Exists' }],
    nodeSelector: { a: 'b' },
  },
  status: { phase: 'Pending' },
});

describe('a list of pods with damaged bytes is read, in part or not at all, in', () => {
  it.each([
    ['protobuf', PROTOBUF, listOf('v1', 'Pod', ['a', 'b', 'c'].map(pod).map(encodePod))],
    [
      'JSON',
      JSON_TYPE,
      Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items: ['a', 'b', 'c'].map(pod) })),
    ],
  ])('%s', (_, contentType, whole) => {
    fc.assert(
      fc.property(damages, (all) => {
        const body = damaged(whole, all);
        const error = thrownBy(() => pageReader(POD_LISTS).page({ status: 200, headers: {}, contentType, body }));
        expect(error === null || error instanceof ApiError ? null : error).toBeNull();
      }),
      { numRuns: cases(500) },
    );
  });
});

const YAML = `apiVersion: outrigger.dev/v1alpha1
kind: Scenario
metadata: {name: &name a, labels: {<<: {a: b}, "c": 'd'}}
text: |
  lines
nodeGroups:
- name: *name
  maxSize: 0x10
  sizes: [1, 2.5e3, ~, !!str 3]
---
# another one
kind: {Pod: [}
`;

it('YAML with damaged text is documents or faults with a place', () => {
  fc.assert(
    fc.property(damages, (all) => {
      const text = damaged(Buffer.from(YAML), all).toString('utf8');
      expect(thrownBy(() => [parseYamlDocuments(text), parseDocuments(text)])).toBeNull();
      expect(thrownBy(() => readPriorityTiers({ priorities: text }))).toBeNull();
    }),
    { numRuns: cases(200) },
  );
});

const field = (most: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('*', '*/5', '0', 'L', '?', '15W', '5#3', 'MON', ''),
    fc.integer({ min: -1, max: most + 1 }).map(String),
    fc.tuple(fc.nat(most), fc.nat(most), fc.nat(99)).map(([from, to, step]) => `${from}-${to}/${step}`),
    fc.array(fc.nat(most), { maxLength: 5 }).map((list) => list.join(',')),
  );
const cron = fc.oneof(
  fc.tuple(field(59), field(23), field(31), field(12), field(7)).map((fields) => fields.join(' ')),
  fc.constantFrom('@daily', '@hourly', '@reboot', '0 0 31 2 *', '* * * * * *'),
);
const zone = fc.oneof(
  fc.constantFrom('', ' in UTC', ' in Europe/Berlin', ' in Africa/El_Aaiun', ' in Antarctica/Troll', ' in utc'),
  fc
    .tuple(fc.constantFrom('UTC', 'GMT', 'CET', 'Etc/GMT', 'x', ''), fc.constantFrom('+', '-', '−', ''), fc.nat(2_500))
    .map(([name, sign, offset]) => ` in ${name}${sign}${String(offset).padStart(2, '0')}`),
);
const duration = fc.oneof(
  fc.constantFrom('10h', '1m', '0s', '1h30m', '-1h', '9223372036s', 'h'),
  fc.nat().map((hours) => `${hours}h`),
);
/** Moments of the years 1970 to 2106, in milliseconds. */
const moment = fc.nat(2 ** 32 - 1).map((seconds) => epochMs(seconds * 1_000));

it('schedules of capacities and budgets are read or refused, and are in force or not at any time', () => {
  fc.assert(
    fc.property(cron, duration, zone, moment, (expression, length, place, now) => {
      const text = `from ${expression} for ${length}${place}`;
      expect(
        thrownBy(() => {
          const schedules = parseCapacitySchedules(`3 ${text}`);
          const budgets = parseNodeBudgets(`10% ${text}`);
          for (const { schedule } of [...(schedules.ok ? schedules.value : []), ...(budgets.ok ? budgets.value : [])]) {
            if (schedule !== null) inForceAt(schedule, now);
          }
        }),
      ).toBeNull();
    }),
    { numRuns: cases(300) },
  );
});

it('quantities are finite numbers with the sign of their text, or refused', () => {
  const digits = fc.oneof(fc.bigInt({ min: -10n, max: 10n ** 30n }).map(String), fc.constantFrom('', '.5', '1.', '00'));
  const suffix = fc.constantFrom(
    '',
    'm',
    'u',
    'n',
    'k',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'Pi',
    'Ei',
    'E',
    'e3',
    'e-3',
    'e99',
    'K',
  );
  fc.assert(
    fc.property(digits, suffix, fc.constantFrom(1, 1_000), (amount, unit, scale) => {
      const read = parseQuantity(`${amount}${unit}`, scale);
      const value = read.ok ? read.value : 0;
      expect(Number.isFinite(value)).toBe(true);
      expect(amount.startsWith('-') ? value <= 0 : value >= 0).toBe(true);
    }),
    { numRuns: cases(1_000) },
  );
});
