import { expect, test } from 'vitest';
import { driftOf } from '../../../../providers/aws/groups/drift.ts';
import { type LaunchedFrom, launchedFrom } from '../../../../providers/aws/groups/launched-from.ts';
import type { Launch } from '../../../../providers/aws/groups/scaling-group.ts';

const of = (template: string): Launch => ({ kind: 'template', template, instanceType: null, requirements: null });
const from = (version: string): LaunchedFrom => ({ kind: 'template', id: 'lt-1', name: 'web', version });
const configured: LaunchedFrom = { kind: 'configuration', name: 'old' };

const NOT = undefined;
const cases: readonly (readonly [string, LaunchedFrom | null, readonly Launch[], number | null, string | undefined])[] =
  [
    ['the same version', from('3'), [of('lt-1:3')], null, NOT],
    ['the same version of a template that is named', from('3'), [of('web:3')], null, NOT],
    [
      'an older version',
      from('2'),
      [of('lt-1:3')],
      null,
      'launch template web version 2, of which its group launches version 3',
    ],
    [
      'a newer version than a fixed one',
      from('4'),
      [of('lt-1:3')],
      null,
      'launch template web version 4, of which its group launches version 3',
    ],
    ['the latest version', from('3'), [of('lt-1:$Latest')], 3, NOT],
    [
      'an older one than the latest',
      from('2'),
      [of('lt-1:$Latest')],
      3,
      'launch template web version 2, of which its group launches version 3',
    ],
    ['a later one than the latest that is remembered', from('4'), [of('lt-1:$Latest')], 3, NOT],
    ['a tenth version beside a ninth', from('10'), [of('lt-1:$Latest')], 9, NOT],
    ['an unknown latest version', from('2'), [of('lt-1:$Latest')], null, NOT],
    [
      'an older one than the default',
      from('2'),
      [of('lt-1:$Default')],
      3,
      'launch template web version 2, of which its group launches version 3',
    ],
    ['another template', from('3'), [of('lt-2:3')], null, 'launch template web, which its group launches no more'],
    ['one of several templates', from('3'), [of('lt-2:1'), of('lt-1:3')], null, NOT],
    [
      'a template where the group has a configuration',
      from('3'),
      [{ kind: 'configuration', name: 'old' }],
      null,
      'launch template web, which its group launches no more',
    ],
    ['the configuration of the group', configured, [{ kind: 'configuration', name: 'old' }], null, NOT],
    [
      'another configuration',
      configured,
      [{ kind: 'configuration', name: 'new' }],
      null,
      'launch configuration old, which its group launches no more',
    ],
    ['an instance that was attached', null, [of('lt-1:3')], null, NOT],
    ['a group that launches nothing', from('3'), [], null, NOT],
  ];

test.each(cases)('drift of %s', (_, launched, launches, resolved, expected) => {
  expect(driftOf(launched, launches, resolved)).toBe(expected);
});

test('what an instance was launched from is read as AWS has it', () => {
  const LaunchTemplate = { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'web', Version: '3' };
  const rest = {
    InstanceId: 'i-1',
    AvailabilityZone: 'a',
    LifecycleState: undefined,
    HealthStatus: 'Healthy',
    ProtectedFromScaleIn: false,
  };
  expect(launchedFrom({ ...rest, LaunchTemplate })).toEqual(from('3'));
  expect(launchedFrom({ ...rest, LaunchConfigurationName: 'old' })).toEqual(configured);
  expect(launchedFrom(rest)).toBeNull();
});
