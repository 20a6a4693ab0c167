import { describe, expect, it } from 'vitest';
import { CLUSTER_OPTIONS, GROUP_OPTIONS, type OptionSpec, defaultOptions } from '../../../core/model/options.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { A_BUDGET } from '../../../providers/schema/node-budgets.ts';
import { sectionOf } from '../../../providers/manifest/fields.ts';
import { explainInvalid, type Invalid } from '../../../providers/manifest/invalid.ts';
import { groupOptionsIn, optionsIn, writeOptions } from '../../../providers/scenario/options.ts';
import { OTHER_SPELLINGS } from '../../../providers/schema/options.ts';
import { times } from '../../scenario-builders.ts';

const NIGHTS = { cron: '0 22 * * 1-5', duration: minutes(480), timeZone: 'Europe/Berlin' };

const ALL: Readonly<Record<string, OptionSpec>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };

function read(options: unknown, defaults: 'outrigger' | 'cluster-autoscaler' = 'outrigger') {
  const problems: Invalid[] = [];
  const values = optionsIn(sectionOf({ options }, '', problems), defaults);
  return { values, complaints: problems.map(explainInvalid) };
}

describe('options', () => {
  it.each([
    [{ expander: ['most-pods', 'random'] }, { expander: ['most-pods', 'random'] }],
    [{ expander: 'least-waste' }, { expander: ['least-waste'] }],
    [{ expander: 'least-waste,random' }, { expander: ['least-waste', 'random'] }],
    [{ expander: 'least-waste, random' }, { expander: ['least-waste', 'random'] }],
    [{ startupTaint: 'a' }, { startupTaint: ['a'] }],
    [{ startupTaint: ['a', 'b'] }, { startupTaint: ['a', 'b'] }],
    [{ ignoreTaint: 'a' }, { startupTaint: ['a'] }],
    [{ startupTaintPrefix: 'a/' }, { startupTaintPrefix: ['a/'] }],
    [{ scaleDownUnneededTime: '1h30m' }, { scaleDownUnneededTime: 5_400_000 }],
    [{ scaleDownUnneededTime: 'auto' }, { scaleDownUnneededTime: 'auto' }],
    [{ scaleDownUnneededTime: '-0s' }, { scaleDownUnneededTime: 0 }],
    [{ newPodScaleUpDelay: 0 }, { newPodScaleUpDelay: 0 }],
    [{ maxNodesPerScaleUp: 7 }, { maxNodesPerScaleup: 7 }],
    [
      { 'scale-down-unneeded-time': '9m', 'ignore-taint': 'a' },
      { scaleDownUnneededTime: 540_000, startupTaint: ['a'] },
    ],
    [{ memoryDifferenceRatio: 0 }, { memoryDifferenceRatio: 0 }],
    [{ expendablePodsPriorityCutoff: -100 }, { expendablePodsPriorityCutoff: -100 }],
    [{ salvoScaleUp: null }, { salvoScaleUp: true }],
    [{ gpuTotal: 't4:0:8' }, { gpuTotal: [{ type: 't4', min: 0, max: 8 }] }],
    [{ drainPriorityConfig: '' }, { drainPriorityConfig: [] }],
    [
      { drainPriorityConfig: '1000:120, -5:60' },
      {
        drainPriorityConfig: [
          { priority: -5, graceSeconds: 60 },
          { priority: 1_000, graceSeconds: 120 },
        ],
      },
    ],
    [{ disruptionBudgets: '' }, { disruptionBudgets: [] }],
    [
      { disruptionBudgets: '10%; 0 of Drifted, expired from 0 22 * * 1-5 for 8h in europe/berlin' },
      {
        disruptionBudgets: [
          { nodes: { percent: 10 }, reasons: null, schedule: null, unreadable: null },
          { nodes: 0, reasons: ['Drifted', 'Expired'], schedule: NIGHTS, unreadable: null },
        ],
      },
    ],
    [
      { disruptionBudgets: [{ nodes: '5' }, '0 from @daily for 1h30m', { nodes: '0%', reasons: ['empty'] }] },
      {
        disruptionBudgets: [
          { nodes: 5, reasons: null, schedule: null, unreadable: null },
          {
            nodes: 0,
            reasons: null,
            schedule: { cron: '@daily', duration: minutes(90), timeZone: 'UTC' },
            unreadable: null,
          },
          { nodes: { percent: 0 }, reasons: ['Empty'], schedule: null, unreadable: null },
        ],
      },
    ],
    [
      { disruptionBudgets: { nodes: 0, schedule: '0 22 * * 1-5', duration: '8h', timeZone: 'Europe/Berlin' } },
      { disruptionBudgets: [{ nodes: 0, reasons: null, schedule: NIGHTS, unreadable: null }] },
    ],
  ])('%j', (given, expected) => {
    const chosen = 'expander' in given && String(given.expander).includes('most-pods');
    if (chosen && !(CLUSTER_OPTIONS.expander.choices as readonly string[]).includes('most-pods')) {
      return;
    }
    expect(read(given)).toEqual({ values: { ...defaultOptions(), ...expected }, complaints: [] });
  });

  it('that are absent take whose defaults are asked for', () => {
    expect(read({}, 'cluster-autoscaler').values).toEqual(defaultOptions('cluster-autoscaler'));
    expect(read({ salvoScaleUp: true }, 'cluster-autoscaler').values).toEqual({
      ...defaultOptions('cluster-autoscaler'),
      salvoScaleUp: true,
    });
  });

  it.each<[object, string]>([
    [
      { maxNodeTotal: 1 },
      'options.maxNodeTotal: expected a known option (did you mean maxNodesTotal?), found "maxNodeTotal"',
    ],
    [
      { 'max-nodes-total': 1, maxNodesTotal: 2 },
      'options.maxNodesTotal: expected each option once (max-nodes-total is the same one), found "maxNodesTotal"',
    ],
    [{ xyz: 1 }, 'options.xyz: expected a known option, found "xyz"'],
    [{ maxNodesTotal: '5' }, 'options.maxNodesTotal: expected an integer of at least 0, found "5"'],
    [
      { namespace: 'kube-system/../../secrets' },
      'options.namespace: expected the name of a namespace such as kube-system, found "kube-system/../../secrets"',
    ],
    [{ namespace: '' }, 'options.namespace: expected the name of a namespace such as kube-system, found ""'],
    [{ maxNodesPerScaleup: -1 }, 'options.maxNodesPerScaleup: expected an integer of at least 0, found -1'],
    [{ expendablePodsPriorityCutoff: 'low' }, 'options.expendablePodsPriorityCutoff: expected an integer, found "low"'],
    [
      { maxTotalUnreadyPercentage: 101 },
      'options.maxTotalUnreadyPercentage: expected a number from 0 to 100, found 101',
    ],
    [
      { scaleDownUnneededTime: 10 },
      'options.scaleDownUnneededTime: expected a duration such as 30s, 10m or 1h30m, or auto, found 10',
    ],
    [
      { scaleDownUnneededTime: '-5m' },
      'options.scaleDownUnneededTime: expected a duration such as 30s, 10m or 1h30m, or auto, found "-5m"',
    ],
    [
      { gpuTotal: ['t4:0:8', 't4:9:8'] },
      'options.gpuTotal[1]: expected a range type:min:max such as nvidia-tesla-t4:0:8, found "t4:9:8"',
    ],
    [{ coresTotal: '8:0' }, 'options.coresTotal: expected a range min:max such as 0:320000, found "8:0"'],
    [{ salvoScaleUp: 'yes' }, 'options.salvoScaleUp: expected true or false, found "yes"'],
    [
      { drainPriorityConfig: '0:60,0:30' },
      'options.drainPriorityConfig: expected pairs priority:seconds such as 0:60,1000:120, each priority once, found "0:60,0:30"',
    ],
    [
      { drainPriorityConfig: 60 },
      'options.drainPriorityConfig: expected pairs priority:seconds such as 0:60,1000:120, each priority once, found 60',
    ],
    [{ disruptionBudgets: 'many' }, `options.disruptionBudgets: expected ${A_BUDGET}, found "many"`],
    [{ disruptionBudgets: [5] }, `options.disruptionBudgets[0]: expected ${A_BUDGET}, found 5`],
    [
      { disruptionBudgets: [{ nodes: '101%' }] },
      'options.disruptionBudgets[0].nodes: expected a number of nodes, or a percentage from 0% to 100%, found "101%"',
    ],
    [
      { disruptionBudgets: [{ nodes: -1 }] },
      'options.disruptionBudgets[0].nodes: expected a number of nodes, or a percentage from 0% to 100%, found -1',
    ],
    [
      { disruptionBudgets: '1; 0 of drift' },
      'options.disruptionBudgets.reasons[0]: expected one of empty, underutilized, drifted, expired, unhealthy (did you mean drifted?), found "drift"',
    ],
    [
      { disruptionBudgets: [{ nodes: 1, reasons: [] }] },
      'options.disruptionBudgets[0].reasons: expected a list of at least one reason, found a list',
    ],
    [
      { disruptionBudgets: [{ nodes: 1, reason: ['empty'] }] },
      'options.disruptionBudgets[0].reason: expected one of nodes, reasons, schedule, duration, timeZone, unreadable (did you mean reasons?), found "reason"',
    ],
    [
      { disruptionBudgets: [{ nodes: 1, schedule: '@daily' }] },
      'options.disruptionBudgets[0]: expected duration with schedule: how long it lasts, found an object',
    ],
    [
      { disruptionBudgets: [{ nodes: 1, duration: '1h' }] },
      'options.disruptionBudgets[0]: expected schedule with duration and timeZone, found an object',
    ],
    [
      { disruptionBudgets: [{ nodes: 1, schedule: '@daily', duration: '30s' }] },
      'options.disruptionBudgets[0].duration: expected a duration from 1m to 8784h such as 8h or 1h30m, found "30s"',
    ],
    [
      { disruptionBudgets: '0 from 0 25 * * * for 8h' },
      'options.disruptionBudgets.schedule: expected a cron expression of five fields such as 0 22 * * 1-5 (minute, hour, day of the month, month, day of the week), or @daily (Invalid value for hour: 25), found "0 25 * * *"',
    ],
    [
      { disruptionBudgets: '0 from @daily for 8h in Europe/Berln' },
      'options.disruptionBudgets.timeZone: expected a time zone of the IANA database such as Europe/Berlin, found "Europe/Berln"',
    ],
    [
      { disruptionBudgets: times(51, () => '1') },
      'options.disruptionBudgets: expected a list of at most 50 disruption budgets, found 51 of them',
    ],
    [{ startupTaint: [''] }, 'options.startupTaint[0]: expected a string, found ""'],
    [{ expander: 'least-waste,least-waste' }, 'options.expander: expected each name once, found "least-waste"'],
    [
      { expander: ['random', 'least-waste'] },
      'options.expander[1]: expected nothing after random, found "least-waste"',
    ],
    [
      { maxNodesPerScaleup: 1, maxNodesPerScaleUp: 2 },
      'options.maxNodesPerScaleUp: expected each option once (maxNodesPerScaleup is the same one), found "maxNodesPerScaleUp"',
    ],
    [
      { balancingLabel: ['pool'], balancingIgnoreLabel: ['team'] },
      'options.balancingIgnoreLabel: expected none with balancingLabel, which replaces all comparison, found a list',
    ],
  ])('%j is refused', (given, complaint) => {
    expect(read(given).complaints).toEqual([complaint]);
  });

  it.each(['expander', 'startupTaint'])('%s is no object', (name) => {
    expect(read({ [name]: {} }).complaints).toHaveLength(1);
  });

  it('of an expander that does not exist name those that do', () => {
    const [complaint] = read({ expander: ['least-wast'] }).complaints;
    expect(complaint).toContain(CLUSTER_OPTIONS.expander.choices.join(', '));
    expect(complaint).toContain('(did you mean least-waste?)');
  });

  it.each(['', []])('an empty chain of expanders, %j, chooses nothing and is refused', (expander) => {
    expect(read({ expander }).complaints).toHaveLength(1);
  });

  it.each(Object.keys(ALL))('%s is read as it is written', (name) => {
    const problems: Invalid[] = [];
    const written = writeOptions(defaultOptions('cluster-autoscaler'));
    const values = optionsIn(sectionOf({ options: { [name]: written[name] } }, '', problems), 'outrigger');
    expect(problems).toEqual([]);
    expect(values).toEqual({
      ...defaultOptions(),
      [name]: defaultOptions('cluster-autoscaler')[name as keyof typeof values],
    });
  });

  it.each(Object.entries(ALL))('%s refuses what is of no kind at all', (name) => {
    expect(read({ [name]: { some: 'object' } }).complaints).not.toEqual([]);
  });

  it('ignores options of the version before', () => {
    expect(
      read({ packingImprovementRatio: 1.05, packingImprovementBudget: 150_000, predictedPlacementRatio: 1 }).complaints,
    ).toEqual([]);
  });

  it('has no other spelling that is an option of its own', () => {
    expect(Object.keys(OTHER_SPELLINGS).filter((spelling) => spelling in ALL)).toEqual([]);
  });
});

describe('options of a node group', () => {
  const readGroup = (options: unknown) => {
    const problems: Invalid[] = [];
    const values = groupOptionsIn(sectionOf({ options }, 'nodeGroups[0]', problems));
    return { values, complaints: problems.map(explainInvalid) };
  };

  it('are those that are given, and no defaults', () => {
    expect(readGroup({ scaleDownUnneededTime: '5m' })).toEqual({
      values: { scaleDownUnneededTime: 300_000 },
      complaints: [],
    });
    expect(readGroup(undefined)).toEqual({ values: {}, complaints: [] });
  });

  it('are not those of the whole cluster', () => {
    expect(readGroup({ expander: 'random' }).complaints).toEqual([
      'nodeGroups[0].options.expander: expected an option of a node group (this one is of the whole cluster), found "expander"',
    ]);
  });
});
