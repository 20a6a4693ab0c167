import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { evaluate } from '../../core/evaluate.ts';
import type { ClusterEvent, EventReason } from '../../core/model/cluster/cluster-event.ts';
import { groupName, instanceId, nodeName, podKey } from '../../core/model/values/names.ts';
import { addTime, epochMs, minutes } from '../../core/model/values/time.ts';
import type { DisruptionReport } from '../../core/model/disruption.ts';
import { autoscalerStatus } from '../../core/words/autoscaler-status.ts';
import { DISRUPTION_MESSAGES } from '../../core/words/disruption.ts';
import { disruptionMessage } from '../../core/words/disruption-events.ts';
import { EVENT_MESSAGES } from '../../core/words/event-messages.ts';
import { parseDocuments } from '../../providers/scenario/documents.ts';
import { readScenario } from '../../providers/scenario/scenario.ts';
import { pauseText } from '../../core/words/pause.ts';
import { head, row, withTables } from './marked-tables.ts';

/** An event on one kind of object. */
interface Documented {
  readonly about: ClusterEvent['about']['kind'];
  readonly type: ClusterEvent['type'];
  readonly when: string;
  readonly message: string;
  /** The difference from Cluster Autoscaler's event of that reason; `null` if only the moment differs. */
  readonly differs: string | null;
}

const web = groupName('web');
const growth = { group: web, from: 2, to: 5, max: 10 };
const NODE = nodeName('node-1');
const since = epochMs(Date.UTC(2026, 0, 1, 12));
const disruption: DisruptionReport = {
  nodes: [NODE],
  reason: 'Drifted',
  state: 'Waiting',
  cause: DISRUPTION_MESSAGES.drifted('launch template version 1, not 2'),
  replacement: web,
  maxCost: 0.2,
  basis: 'price',
  saving: 0,
  moves: 3,
  since,
  deadline: addTime(since, minutes(30)),
};
const removal = { node: NODE, group: web, destinations: [] } as const;

const EVENTS: Readonly<Record<EventReason, readonly Documented[]>> = {
  TriggeredScaleUp: [
    {
      about: 'Pod',
      type: 'Normal',
      when: 'A decision that adds a node for the pod is stored.',
      message: EVENT_MESSAGES.triggered([growth]),
      differs: 'names the group that will hold the pod, and not all that grow; once per group for each five minutes',
    },
  ],
  NotTriggerScaleUp: [
    {
      about: 'Pod',
      type: 'Normal',
      when: 'No node group can help the pod. Each reason is said once, with the number of node groups that it keeps out; then what a new node lacks, with numbers, and the nearest node group.',
      message: EVENT_MESSAGES.notTriggered('12 Insufficient cpu, 1 max node group size reached', [
        'web-a, web-b, web-c and 9 more: asks for 48 CPU; a new node has 15.89, 15.74 after DaemonSets',
        'Nearest: web-a, with a request of at most 15.74 CPU',
      ]),
      differs:
        'also where a group grows for other pods; once while the API server keeps the event, not every five minutes',
    },
  ],
  ScaleDown: [
    {
      about: 'Node',
      type: 'Normal',
      when: 'The node is tainted at the beginning of its drain, and again when its instance is ended.',
      message: `${EVENT_MESSAGES.tainted(null)}; ${EVENT_MESSAGES.removed(null)}`,
      differs: 'says the notice where the cloud announced the end of the instance',
    },
    {
      about: 'Pod',
      type: 'Normal',
      when: 'The pod is evicted.',
      message: EVENT_MESSAGES.evicted(),
      differs: null,
    },
    {
      about: 'Status',
      type: 'Normal',
      when: 'A decision to remove a node with pods is stored.',
      message: EVENT_MESSAGES.removing({ ...removal, kind: 'drain', pods: [podKey('default', 'web-0')] }),
      differs: 'without the utilization; the end of the removal is an event of the node',
    },
  ],
  ScaleDownEmpty: [
    {
      about: 'Status',
      type: 'Normal',
      when: 'A decision to remove a node without pods is stored.',
      message: EVENT_MESSAGES.removingEmpty({ ...removal, kind: 'empty', pods: [] }),
      differs: 'the end of the removal is an event of the node',
    },
  ],
  ScaleDownFailed: [
    {
      about: 'Node',
      type: 'Warning',
      when: 'A drain is rolled back, and the node is kept.',
      message: EVENT_MESSAGES.failed('drain', 'FailedToEvictPods', podKey('default', 'web-0'), 'not evicted within 2m'),
      differs: null,
    },
    {
      about: 'Pod',
      type: 'Warning',
      when: 'The pod could not be evicted.',
      message: EVENT_MESSAGES.notEvicted("Cannot evict pod as it would violate the pod's disruption budget."),
      differs: null,
    },
  ],
  Cordoned: [
    {
      about: 'Node',
      type: 'Normal',
      when: 'AWS recommends to replace the Spot instance, with `rebalanceRecommendation: cordon`.',
      message: EVENT_MESSAGES.cordoned('RebalanceRecommendation'),
      differs: 'has none',
    },
  ],
  DisruptionLaunching: [
    {
      about: 'Node',
      type: 'Normal',
      when: 'The node begins to wait for its [replacement](disruption.md).',
      message: disruptionMessage(disruption, null),
      differs: "has none; the reason is Karpenter's",
    },
  ],
  DisruptionCancelled: [
    {
      about: 'Node',
      type: 'Normal',
      when: 'Its replacement is [canceled](reasons.md#why-a-disruption-is-canceled), and the node is kept.',
      message: disruptionMessage(
        { ...disruption, state: 'Cancelled', cancelled: 'DeadlineExceeded' },
        addTime(since, minutes(60)),
      ),
      differs: 'has none',
    },
  ],
  ClusterAutoscalerCleanup: [
    {
      about: 'Node',
      type: 'Normal',
      when: 'Taints and cordons of a removal that no drain owns are taken off the node.',
      message: 'removed the taints of an unknown removal',
      differs: 'whenever they are found, not at a restart alone',
    },
  ],
  ScaledUpGroup: [
    {
      about: 'Status',
      type: 'Normal',
      when: 'A decision that raises the group is stored, and again when the size is set.',
      message: `${EVENT_MESSAGES.growing(growth)}; ${EVENT_MESSAGES.grown(growth)}`,
      differs: null,
    },
  ],
  FailedToScaleUpGroup: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'The size could not be set.',
      message: EVENT_MESSAGES.notGrown(web, 'AccessDenied: …'),
      differs: null,
    },
  ],
  ScaleUpTimedOut: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'Instances did not become nodes within `maxNodeProvisionTime`.',
      message: EVENT_MESSAGES.timedOut(web, minutes(15)),
      differs: null,
    },
  ],
  ScaleUpFailed: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'Launches of the group failed, with the [class](reasons.md#why-a-launch-failed) of the failure.',
      message: EVENT_MESSAGES.launchesFailed(web, 'OutOfResources'),
      differs: 'without the number of nodes',
    },
  ],
  MaxNodesTotalReached: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'Pods wait, and the cluster has as many nodes as `maxNodesTotal` allows.',
      message: EVENT_MESSAGES.maxNodesTotal(1_000),
      differs: null,
    },
  ],
  MaxCostPerHourReached: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'Pods wait, and another node of the group would cost more than `maxCostPerHour`.',
      message: EVENT_MESSAGES.maxCostPerHour(web, 'maxCostPerHour'),
      differs: null,
    },
  ],
  Paused: [
    {
      about: 'Status',
      type: 'Normal',
      when: 'A [pause](pause.md) is in force.',
      message: pauseText({ part: 'ScaleDown', group: null, until: null, cancelDrains: false, source: 'Command' }),
      differs: 'it has none',
    },
  ],
  ClusterUnhealthy: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'Too many nodes of the cluster are not ready.',
      message: EVENT_MESSAGES.unhealthy(),
      differs: null,
    },
  ],
  DeleteUnregistered: [
    {
      about: 'Status',
      type: 'Normal',
      when: 'Instances that never became nodes are deleted.',
      message: EVENT_MESSAGES.deleted([instanceId('i-0123456789abcdef0')]),
      differs: null,
    },
  ],
  DeleteUnregisteredFailed: [
    {
      about: 'Status',
      type: 'Warning',
      when: 'They could not be deleted.',
      message: EVENT_MESSAGES.notDeleted([instanceId('i-0123456789abcdef0')], 'AccessDenied: …'),
      differs: null,
    },
  ],
};

const eventsOn = (about: Documented['about']) => (): string =>
  [
    ...head('Reason', 'Type', 'When', 'Message', "Cluster Autoscaler's"),
    ...Object.entries(EVENTS).flatMap(([reason, all]) =>
      all
        .filter((one) => one.about === about)
        .map(({ type, when, message, differs }) =>
          row(`\`${reason}\``, type, when, `\`${message}\``, differs === null ? 'the same' : differs),
        ),
    ),
  ].join('\n');

/** The status of the first example: without its times, which the ConfigMap has beside each condition. */
function statusExample(): string {
  const [document] = parseDocuments(readFileSync(new URL('../../examples/three-zones.yaml', import.meta.url), 'utf8'));
  if (document?.content.kind !== 'value') {
    throw new Error('the example is no document');
  }
  const read = readScenario(document.content.value);
  if (!read.ok) {
    throw new Error(`the example is invalid: ${JSON.stringify(read.error)}`);
  }
  const { nodeGroups, ...status } = autoscalerStatus(read.value, evaluate(read.value));
  const text = stringify({ ...status, nodeGroups: nodeGroups.slice(0, 1) }, { lineWidth: 0 });
  return `\`\`\`text illustration\n${text}\`\`\``;
}

/**
 * A page with the events by the object that they are about, and an example of the status.
 *
 * @throws Error where a marker names no table, or has no end.
 */
export const withEvents = (page: string): string =>
  withTables(page, 'core/words/event-messages', {
    'events-on-pods': eventsOn('Pod'),
    'events-on-nodes': eventsOn('Node'),
    'events-on-the-status': eventsOn('Status'),
    'status-example': statusExample,
  });
