import { at, type Defect } from './defect.ts';

const QUOTA_LEDGER = 'core/headroom/quota-ledger.ts';
const SCHEDULED = 'core/nodegroups/schedule-daemons.ts';
const DAEMON_ROOM = 'core/nodegroups/daemon-room.ts';

/** Defects by which the objects of one namespace, or of one node group, affect the rest of the cluster. */
export const HOSTILE: readonly Defect[] = [
  {
    id: 'H01',
    what: 'A DaemonSet whose requests fit counts on each new node, whatever else keeps its pods from there.',
    places: [
      at(
        SCHEDULED,
        'const no = isMirror(daemon.pod) ? null : scheduler.check(kind, info);',
        'const no = isMirror(daemon.pod) || daemon.pod.spec.podAntiAffinity.length > 0 ? null : scheduler.check(kind, info);',
      ),
      at(
        DAEMON_ROOM,
        'template.daemons.filter((daemon) => !yields(daemon));',
        'template.daemons.filter((daemon) => !yields(daemon) || daemon.pod.spec.podAntiAffinity.length > 0);',
      ),
    ],
    tests: ['test/core/nodegroups', 'test/core/scaleup'],
    simulation: 'hostile',
  },
  {
    id: 'H02',
    what: 'A DaemonSet without pods on any node keeps pods of its priority from all new nodes.',
    places: [
      at(DAEMON_ROOM, '(daemon) => !daemon.established, UNESTABLISHED', '() => false, UNESTABLISHED'),
      at(DAEMON_ROOM, '!daemon.established || priorityOf(daemon.pod) < priority', 'priorityOf(daemon.pod) < priority'),
    ],
    tests: ['test/core/nodegroups', 'test/core/scaleup'],
    simulation: 'hostile',
  },
  {
    id: 'H03',
    what: 'The terms of all pods of a namespace together are not limited.',
    places: [
      at(
        'core/scheduling/bounded-terms.ts',
        'if (isWithinLimits([usesOfPods(objects.pods), usesOfTemplates(objects)], limits)) {',
        'if (limits.ofNamespace > 0) {',
      ),
    ],
    tests: ['test/core/scheduling'],
    simulation: 'hostile',
  },
  {
    id: 'H04',
    what: 'Virtual pods that do not name what a ResourceQuota limits are not held to it.',
    places: [
      at(
        QUOTA_LEDGER,
        '.filter((name) => mustBeNamed(name) && !isNamed(demand, name))',
        '.filter((name) => !mustBeNamed(name) && !isNamed(demand, name) && name === CPU)',
      ),
    ],
    tests: ['test/core/headroom'],
    simulation: 'hostile',
  },
  {
    id: 'H05',
    what: 'ProvisioningRequests are not held to the ResourceQuotas of their namespace.',
    places: [at('core/headroom/requests/requests.ts', 'if (granted.count < set.count) {', 'if (granted.count < 0) {')],
    tests: ['test/core/headroom/requests'],
    simulation: 'hostile',
  },
  {
    id: 'H06',
    what: 'The headroom of one namespace is taken from that of the others.',
    places: [
      at(
        'core/headroom/virtual-pods.ts',
        'Math.max(0, most - (used.get(namespace) ?? 0))',
        'Math.max(0, most - [...used.values()].reduce((sum, count) => sum + count, 0))',
      ),
    ],
    tests: ['test/core/headroom'],
    simulation: 'hostile',
  },
  {
    id: 'H07',
    what: 'A tag that a parser does not expect ends the list of all node groups.',
    places: [
      at(
        'core/model/values/time-zone.ts',
        'alone.\n    return err(A_TIME_ZONE);',
        'alone.\n    throw new RangeError(A_TIME_ZONE);',
      ),
      at(
        'providers/node-groups/option-texts.ts',
        'return err(`a value that can be read (${clip(messageOf(error))})`);',
        'throw error;',
      ),
      at(
        'providers/aws/groups/tags.ts',
        'return `a value that can be read (${clip(messageOf(error))})`;',
        'throw error;',
      ),
      at(
        'providers/aws/groups/scaling-group.ts',
        "Tags?.filter(({ Key = '' }) => !isTemplateTag(Key))",
        "Tags?.filter(({ Key = '' }) => !isTemplateTag('x') || Key !== '')",
      ),
    ],
    tests: ['test/core/model/values', 'test/providers/aws/groups', 'test/providers/schema'],
    simulation: 'hostile',
  },
  {
    id: 'H08',
    what: 'Answers to requests of one namespace keep those to another one from being written.',
    places: [
      at(
        'core/headroom/requests/request-status.ts',
        'inTurns(statuses, ({ namespace }) => namespace).slice(0, MOST_STATUSES)',
        "inTurns(statuses, () => '').slice(0, MOST_STATUSES)",
      ),
    ],
    tests: ['test/core/headroom/requests'],
    simulation: 'hostile',
  },
  {
    id: 'H09',
    what: 'What the kubelet of a single node states is what new nodes have.',
    places: [
      at('providers/aws/templates/stated-amounts.ts', 'if (refused.length === 0) {', 'if (refused.length >= 0) {'),
    ],
    tests: ['test/providers/aws/templates'],
    simulation: 'hostile',
  },
  {
    id: 'H10',
    what: 'MachineDeployments of any namespace of a management cluster are node groups.',
    places: [
      at(
        'providers/clusterapi/groups/discovery.ts',
        'return [{ namespace: own?.namespace ?? null, clusterName: cluster, labels: {} }];',
        'return own === undefined ? [{ namespace: null, clusterName: cluster, labels: {} }] : set;',
      ),
    ],
    tests: ['test/providers/clusterapi'],
    simulation: 'hostile',
  },
];
