import { describe, expect, it } from 'vitest';
import { keysOf } from '../../../../providers/clusterapi/api/resources.ts';
import { optionsOf } from '../../../../providers/clusterapi/groups/options.ts';
import { minutes, seconds } from '../../../../core/model/values/time.ts';

const PREFIX = 'cluster.x-k8s.io/autoscaling-options-';
const read = (annotations: Record<string, string>) => optionsOf(annotations, keysOf('cluster.x-k8s.io'));

describe('options of a node group', () => {
  it.each([
    ['scaledownutilizationthreshold', '0.7', { scaleDownUtilizationThreshold: 0.7 }],
    ['scaledowngpuutilizationthreshold', '0.3', { scaleDownGpuUtilizationThreshold: 0.3 }],
    ['scaledownunneededtime', '1m30s', { scaleDownUnneededTime: seconds(90) }],
    ['scaledownunneededtime', '10M', { scaleDownUnneededTime: minutes(10) }],
    ['scaledownunreadytime', '20m', { scaleDownUnreadyTime: minutes(20) }],
    ['maxnodeprovisiontime', '30m', { maxNodeProvisionTime: minutes(30) }],
    ['maxnodestartuptime', '45m', { maxNodeStartupTime: minutes(45) }],
    ['ignoredaemonsetsutilization', 'true', { ignoreDaemonSetsUtilization: true }],
    ['scaledownunneededtime', '', {}],
    ['something-new', 'x', {}],
  ])('%s = %j', (name, text, options) => {
    expect(read({ [`${PREFIX}${name}`]: text })).toEqual({ options, malformed: [] });
  });

  it('that are malformed are reported with what was expected, and count as absent', () => {
    expect(read({ [`${PREFIX}scaledownunneededtime`]: 'soon', [`${PREFIX}maxnodeprovisiontime`]: '1h' })).toEqual({
      options: { maxNodeProvisionTime: minutes(60) },
      malformed: [
        { place: `annotation ${PREFIX}scaledownunneededtime`, expected: expect.any(String) as string, found: '"soon"' },
      ],
    });
  });

  it('are those of the configured API group alone', () => {
    expect(read({ 'example.com/autoscaling-options-scaledownunneededtime': '1m' })).toEqual({
      options: {},
      malformed: [],
    });
  });
});
