import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Invariant } from './invariants/invariant.ts';
import { simulateFaults } from './command.ts';
import { OTHER_SIZES } from './drawn-groups.ts';
import { ATTACH_LIMITS } from './attach-limits.ts';
import { CAPACITY_BUFFERS } from './drawn-buffers.ts';
import { PROVISIONING_REQUESTS } from './drawn-requests.ts';
import { DRAWN_OPTIONS } from './drawn-options.ts';
import { enoughRuns, runOf, violationsOf } from './enough-runs.ts';
import { FALLING_LOAD } from './falling-load.ts';
import { GPUS } from './gpus.ts';
import { KINDS_OF_PODS } from './kinds/all.ts';
import { type Counts, summed } from './counts.ts';
import { reportOf } from './report.ts';
import { type Run, run } from './run.ts';
import { scenarioFor } from './scenario.ts';
import { shrink } from './shrink.ts';
import { ZERO_OR_MAX } from './whole-groups.ts';
import { ZONE_SKEW } from './zone-skew.ts';
import { ZONE_AFFINITY } from './zones.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const SEEDS = [1, 2, 3, 4, 5];
/** For what later changes move to other seeds. */
const OTHER_SEEDS = Array.from({ length: 20 }, (_, i) => i + 6);
/** Seeds that have all kinds of faults and events between them; those that other tests run as well cost nothing. */
const SEEDS_OF_FAULTS = {
  aws: [...SEEDS, 95, 32, 15, 62, ...OTHER_SEEDS],
  clusterapi: [1, 48, 97, 19, 60, 38, 43, 56, 62, ...OTHER_SEEDS],
};
/** Faults that groups of the other provider cannot have. */
const OF_CLUSTER_API = ['conflict', 'lost mark', 'stuck machine', 'failed machine'];
const OF_AWS = [
  'stale description',
  'notice',
  'bounds',
  'zone rebalance',
  'refresh',
  'group',
  'standby',
  'tags',
  'protection',
  'process',
  'launch hook',
  'foreign hook',
  'node name',
  'meeting',
];

const namesWhere = (counts: Counts, is: (count: number) => boolean): readonly string[] =>
  Object.entries(counts).flatMap(([name, count]) => (is(count) ? name : []));

/** Kinds of faults that have not struck, and of events that have not happened, in any of the runs. */
const missing =
  (events: readonly string[], impossible: readonly string[]) =>
  (runs: readonly Run[]): readonly string[] => {
    const happened = summed(runs.map((one) => one.happened));
    const struck = namesWhere(summed(runs.map((one) => one.struck)), (count) => count === 0);
    return [
      ...struck.filter((kind) => !impossible.includes(kind)),
      ...events.filter((name) => (happened[name] ?? 0) === 0),
    ];
  };

describe('a run', () => {
  test.each(SEEDS)('of seed %i is the same each time, byte for byte', async (seed) => {
    const first = await runOf(seed);
    const second = await run({ seed });
    expect(second.lines).toEqual(first.lines);
    expect(second.digest).toBe(first.digest);
    expect(first.violation).toBeNull();
    expect(second.quality).toEqual(first.quality);
    expect(first.quality.usedHours).toBeGreaterThanOrEqual(first.quality.neededHours);
  });

  test('is the same in another process', async () => {
    const { digest, lines } = await runOf(7);
    const printed = execFileSync(process.execPath, [MAIN, '--seeds', '1', '--seed', '7', '--log'], {
      encoding: 'utf8',
    });
    expect(printed).toContain(`digest ${digest}`);
    expect(printed.split('\n').slice(0, lines.length)).toEqual(lines);
  });

  test('with fewer faults is the same up to the first that is left out', async () => {
    const whole = await runOf(2);
    const { lines, faults } = await run({ seed: 2, limit: 5 });
    expect(faults).toBe(5);
    const sixth = whole.lines.findIndex((line) => line.includes('FAULT 6 '));
    expect(sixth).toBeGreaterThan(20);
    expect(lines.slice(0, sixth)).toEqual(whole.lines.slice(0, sixth));
    expect(lines[sixth]).not.toBe(whole.lines[sixth]);
  });

  test('has every kind of fault that its provider may have, in some seed', async () => {
    const events = [
      'SizeSetElsewhere',
      'BoundsSetElsewhere',
      'PausedElsewhere',
      'GroupDeleted',
      'GroupCreated',
      'ZonesBalanced',
      'StandbyEntered',
      'StandbyLeft',
      'Untagged',
      'Tagged',
      'Protected',
      'Unprotected',
      'ProcessSuspended',
      'ProcessResumed',
      'InstanceUnnoticed',
      'LaunchWaits',
      'LaunchContinued',
      'LaunchAbandoned',
      'HookAdded',
      'HookRemoved',
      'WarmInstanceTaken',
      'wake-up given up',
      ...['kubernetes', 'autoscaling', 'table', 'messages'].map((service) => `outage of ${service} felt`),
    ];
    const { runs, lacking } = await enoughRuns(SEEDS_OF_FAULTS.aws, runOf, missing(events, OF_CLUSTER_API));
    expect(lacking).toEqual([]);
    expect(violationsOf(runs)).toEqual([]);
    const struck = summed(runs.map((one) => one.struck));
    expect(namesWhere(struck, (count) => count === 0)).toEqual(OF_CLUSTER_API);
  });
});

describe('a run on Cluster API', () => {
  const ofSeed = async (seed: number): Promise<Run> => await runOf(seed, 'clusterapi');

  test('is the same each time', async () => {
    const second = await run({ seed: 1, provider: 'clusterapi' });
    expect(second.digest).toBe((await ofSeed(1)).digest);
  });

  test('keeps what must hold, and has every kind of fault that its provider may have, in some seed', async () => {
    // They have had their effects.
    const happened = missing(['Conflict', 'MarkLost', 'SizeSetElsewhere', 'PausedElsewhere'], OF_AWS);
    const { runs, lacking } = await enoughRuns(SEEDS_OF_FAULTS.clusterapi, ofSeed, happened);
    expect(lacking).toEqual([]);
    expect(violationsOf(runs)).toEqual([]);
    const struck = summed(runs.map((one) => one.struck));
    expect(namesWhere(struck, (count) => count === 0)).toEqual(OF_AWS);
  });
});

describe('a run that fails', () => {
  test('is shown with the shortest prefix of its faults that fails', async () => {
    let struck = 0;
    const thirdFailure: Invariant = {
      name: 'no third failure',
      watch: (_stage, violate) => {
        struck = 0;
        return {
          event: ({ kind }) => {
            struck += kind === 'LaunchFailed' ? 1 : 0;
            if (struck === 3) {
              violate('it is the third');
            }
          },
        };
      },
    };
    const options = { invariants: [thirdFailure] };
    const seed = 12;
    const whole = await run({ ...options, seed });
    expect(whole.violation).toMatchObject({ invariant: 'no third failure', what: 'it is the third' });
    const shortest = await shrink(whole, options);
    expect(shortest.violation?.invariant).toBe('no third failure');
    expect(shortest.faults).toBeLessThanOrEqual(whole.faults);
    const oneLess = await run({ ...options, seed, limit: shortest.faults - 1 });
    expect(oneLess.violation).toBeNull();
    const report = reportOf(shortest, whole.faults);
    expect(report).toContain(`npm run simulate-faults -- --seeds 1 --seed ${seed} --faults ${shortest.faults} --log`);
    expect(new Set(report.match(/ {2}FAULT \d+ /g)).size).toBe(shortest.faults);
  });

  test('without any fault has a prefix of none', async () => {
    const always: Invariant = {
      name: 'a run has no end',
      watch: (_stage, violate) => ({ ended: () => violate('it has one') }),
    };
    const options = { invariants: [always] };
    const whole = await run({ ...options, seed: 3 });
    expect((await shrink(whole, options)).faults).toBe(0);
  });
});

describe('scenarios', () => {
  test('have few groups and a hundred pods at most, or little more, and are made of sizes that divide each other', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { groups, pools, steps } = scenarioFor(seed);
      expect(groups.length).toBeLessThanOrEqual(13);
      expect(new Set(pools.map(({ name }) => name)).size).toBeLessThanOrEqual(4);
      const names = new Set<string>();
      let pods = 0;
      for (const step of steps) {
        if (step.kind === 'apply' && !names.has(step.workload.name)) {
          names.add(step.workload.name);
          pods += step.workload.pods;
        }
      }
      expect(pods).toBeLessThanOrEqual(126);
      expect(pods).toBeGreaterThan(0);
    }
  });
});

test('each option that most runs leave as it is, and each kind of pods, is drawn in some run of each provider', () => {
  const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
  for (const provider of ['aws', 'clusterapi'] as const) {
    const drawn = new Set(seeds.flatMap((seed) => scenarioFor(seed, provider).drawn));
    const all = new Set([
      ...DRAWN_OPTIONS,
      ...KINDS_OF_PODS,
      OTHER_SIZES,
      ZONE_AFFINITY,
      ZONE_SKEW,
      ATTACH_LIMITS,
      CAPACITY_BUFFERS,
      PROVISIONING_REQUESTS,
      FALLING_LOAD,
      GPUS,
      ZERO_OR_MAX,
    ]);
    expect(drawn.symmetricDifference(all)).toEqual(new Set());
  }
});

describe('the command', () => {
  const command = (...flags: string[]) => spawnSync(process.execPath, [MAIN, ...flags], { encoding: 'utf8' });

  test('ends with 2 when it cannot be understood', () => {
    const { status, stderr } = command('--sead', '1');
    expect(stderr).toContain('Did you mean --seed?');
    expect(status).toBe(2);
  });

  test.each([
    [['--seeds', '0'], 'Expected a whole number above 0'],
    [['--seeds', 'many'], 'Expected a whole number'],
    [['--seed', '-1'], 'Expected a whole number'],
    [['--faults', '3'], 'give --seeds 1 as well'],
    [['7'], 'too many arguments'],
  ])('says what is wrong with %j', async (flags, said) => {
    const program = simulateFaults()
      .configureOutput({ writeErr: () => {} })
      .exitOverride((error) => {
        throw error;
      });
    await expect(program.parseAsync(flags, { from: 'user' })).rejects.toThrow(said);
  });
});
