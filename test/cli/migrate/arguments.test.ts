import { expect, it } from 'vitest';
import { flagsIn } from '../../../cli/migrate/arguments.ts';

it.each([
  [['./cluster-autoscaler', '--v=4'], { v: '4' }],
  [['--v', '4'], { v: '4' }],
  [['-v=4', '-expander', 'price'], { v: '4', expander: 'price' }],
  [['--balance-similar-node-groups', '--v=4'], { 'balance-similar-node-groups': 'true', v: '4' }],
  // A boolean does not take the next word.
  [['--scale-down-enabled', 'false'], { 'scale-down-enabled': 'true' }],
  [['--expendable-pods-priority-cutoff', '-10'], { 'expendable-pods-priority-cutoff': '-10' }],
  [['--unknown-one', '--unknown-two', 'x'], { 'unknown-one': 'true', 'unknown-two': 'x' }],
  [['--nodes=1:10:my group'], { nodes: '1:10:my group' }],
  [['--nodes="1:10:a"', "--cluster-name='b'"], { nodes: '1:10:a', 'cluster-name': 'b' }],
  [['./cluster-autoscaler --v=4 --expander least-waste'], { v: '4', expander: 'least-waste' }],
  [['--v=4 --expander=price'], { v: '4', expander: 'price' }],
  [['sh', '-c', 'sleep 1 && exec /usr/bin/cluster-autoscaler --v=4 2>&1 | tee --append log'], { v: '4' }],
  [['cluster-autoscaler --nodes="1:2:a b" \\\n  --v=4'], { nodes: '1:2:a b', v: '4' }],
  [['--cloud-config='], { 'cloud-config': '' }],
  [['--node-group-auto-discovery=asg:tag=a=b,c'], { 'node-group-auto-discovery': 'asg:tag=a=b,c' }],
  [[], {}],
  [['"', "'", '\\'], {}],
])('%j', (command, flags) => {
  expect(Object.fromEntries(flagsIn(command).map(({ name, value }) => [name, value]))).toEqual(flags);
});

it('repeated flags stay repeated, in their order', () => {
  expect(flagsIn(['--nodes=1:2:a', '--nodes=1:2:b'])).toEqual([
    { name: 'nodes', value: '1:2:a' },
    { name: 'nodes', value: '1:2:b' },
  ]);
});
