import { expect, test } from 'vitest';
import { withLayout } from '../../../cli/advise/layouts.ts';
import { poolsOf } from '../../../cli/advise/pools.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { seconds } from '../../../core/model/values/time.ts';
import type { DemoLoad, LoadStep } from '../../../simulation/load/load.ts';
import { loadOf } from './loads.ts';

const load = loadOf(['m5.xlarge'], { cpu: '1', memory: '1Gi' }, {}, { minSize: 1, desiredSize: 3, maxSize: 10 });
const [pool] = poolsOf(load.groups).pools;
const sizesIn = ({ groups }: DemoLoad) =>
  groups.map(({ name, instanceType, zones, minSize, desiredSize, maxSize }) =>
    [name, instanceType, zones.join(' '), minSize, desiredSize, maxSize].join(' | '),
  );

test('another type has groups in the same zones, with room for as many CPUs', () => {
  expect(sizesIn(withLayout(load, [{ pool: pool!, types: ['c5.2xlarge'] }]))).toEqual([
    'm5-xlarge-a, c5.2xlarge | c5.2xlarge | us-east-1a | 1 | 2 | 5',
    'm5-xlarge-b, c5.2xlarge | c5.2xlarge | us-east-1b | 1 | 2 | 5',
    'm5-xlarge-c, c5.2xlarge | c5.2xlarge | us-east-1c | 1 | 2 | 5',
  ]);
});

test('a type beside the own one begins without nodes', () => {
  expect(sizesIn(withLayout(load, [{ pool: pool!, types: ['m5.xlarge', 'm5.large'] }]))).toEqual([
    'm5-xlarge-a | m5.xlarge | us-east-1a | 1 | 3 | 10',
    'm5-xlarge-b | m5.xlarge | us-east-1b | 1 | 3 | 10',
    'm5-xlarge-c | m5.xlarge | us-east-1c | 1 | 3 | 10',
    'm5-xlarge-a, m5.large | m5.large | us-east-1a | 0 | 0 | 20',
    'm5-xlarge-b, m5.large | m5.large | us-east-1b | 0 | 0 | 20',
    'm5-xlarge-c, m5.large | m5.large | us-east-1c | 0 | 0 | 20',
  ]);
});

test('interruptions of a group that goes are those of the first new type, and its shortages are over', () => {
  const at = seconds(60);
  const group = groupName('m5-xlarge-b');
  const steps: readonly LoadStep[] = [
    { at, kind: 'interruption', group, zone: null, notice: seconds(120) },
    { at, kind: 'capacity', group, available: 0 },
    { at, kind: 'delete', workload: 'default/web' },
  ];
  expect(withLayout({ ...load, steps }, [{ pool: pool!, types: ['c5.xlarge', 'm5.large'] }]).steps).toEqual([
    { ...steps[0], group: 'm5-xlarge-b, c5.xlarge' },
    steps[2],
  ]);
  expect(withLayout({ ...load, steps }, [{ pool: pool!, types: ['m5.xlarge', 'm5.large'] }]).steps).toEqual(steps);
});
