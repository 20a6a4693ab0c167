import { at, type Defect, type FaultRuns } from './defect.ts';
import { HOSTILE } from './hostile-defects.ts';

const AWS: FaultRuns = { provider: 'aws', draw: [] };
const CLUSTER_API: FaultRuns = { provider: 'clusterapi', draw: [] };

/** Safety of evaluations, drains and calls. */
const SAFETY: readonly Defect[] = [
  {
    id: 'S01',
    what: 'On Cluster API, the size is not raised again after the end of a Machine is given up.',
    places: [
      at(
        'providers/clusterapi/changes/next-step.ts',
        "return { kind: 'raise', resource, to: claim.from };",
        "return { kind: 'release', machine };",
      ),
    ],
    tests: ['test/providers/clusterapi/changes'],
    simulation: CLUSTER_API,
  },
  {
    id: 'S02',
    what: 'An instance that is terminating and has no node counts as upcoming.',
    places: [
      at(
        'core/registry/counts.ts',
        'heldInstances(group).filter(({ id }) => unregisteredSince.has(id))',
        'group.instances.filter(({ id }) => unregisteredSince.has(id))',
      ),
    ],
    tests: ['test/core/registry'],
  },
  {
    id: 'S03',
    what: 'Disruption budgets of node groups are ignored where the cluster has some.',
    places: [
      at(
        'core/scaledown/node-budgets/node-budget-tracker.ts',
        'if (budgets.length > 0) {',
        'if (budgets.length > 0 && options.disruptionBudgets.length === 0) {',
      ),
    ],
    tests: ['test/core/scaledown/node-budgets'],
    simulation: AWS,
  },
  {
    id: 'S04',
    what: 'Evicted pods are planned for during 10 seconds, not 10 minutes.',
    places: [at('core/actuation/changes/drains.ts', 'now - evictedAt > RECREATED_WITHIN', 'now - evictedAt > 10_000')],
    tests: ['test/core/actuation/changes'],
    simulation: AWS,
  },
  {
    id: 'S05',
    what: 'A roll-back gives up after 10 seconds, and the taints of lost drains are not removed.',
    places: [
      at(
        'core/drain/phases/rolling-back.ts',
        "if (markerOwnerOf(node, drain) === 'this drain') {",
        "if (markerOwnerOf(node, drain) === 'this drain' && age < 10_000) {",
      ),
      at(
        'core/drain/stray-markers.ts',
        'return markedNodes(scenario).filter(({ name }) => !leaving.has(name));',
        'return [];',
      ),
    ],
    tests: ['test/core/drain'],
    simulation: AWS,
  },
  {
    id: 'S06',
    what: 'Nodes are launched for pods that preemption has cleared a place for.',
    places: [
      at(
        'core/model/pod-wait.ts',
        'if (pod.nominatedNodeName !== null && isThere(pod.nominatedNodeName)) {',
        'if (pod.nominatedNodeName === undefined) {',
      ),
      at(
        'core/scheduling/cluster-snapshot.ts',
        'return isFinished(pod) ? null : (pod.nodeName ?? pod.nominatedNodeName);',
        'return isFinished(pod) ? null : pod.nodeName;',
      ),
    ],
    tests: ['test/core/scaleup/pods', 'test/core/scheduling'],
    simulation: AWS,
  },
  {
    id: 'S07',
    what: 'A drain takes any Node of the name of its own for its own.',
    places: [
      at(
        'core/drain/observation.ts',
        'nodes.find(({ name, uid }) => name === node && uid === nodeUid)',
        'nodes.find(({ name }) => name === node)',
      ),
      at(
        'core/drain/removal-markers.ts',
        'return changeNode(drain, {',
        'return changeNode({ ...drain, nodeUid: node.uid }, {',
      ),
    ],
    tests: ['test/core/drain'],
    simulation: AWS,
  },
  {
    id: 'S08',
    what: 'Backoffs are forgotten when the state is loaded.',
    places: [
      at(
        'functions/evaluate/load.ts',
        'return { ...persisted, drains',
        'return { ...persisted, state: { ...persisted.state, backoff: {} }, drains',
      ),
    ],
    tests: ['test/functions/evaluate', 'test/laws'],
    simulation: AWS,
  },
  {
    id: 'S09',
    what: 'A decision is committed although another one was committed since the state was loaded.',
    places: [
      at(
        'functions/evaluate/commit.ts',
        'expectedVersion: known.version,',
        'expectedVersion: (await store.load(of, signal)).version,',
      ),
    ],
    tests: ['test/functions/evaluate'],
    simulation: AWS,
  },
  {
    id: 'S10',
    what: 'Schedules ignore their time zone.',
    places: [at('core/model/schedule.ts', 'wallTimeAt(now, timeZone)', "wallTimeAt(now, 'UTC')")],
    tests: ['test/core/model'],
    simulation: AWS,
  },
  {
    id: 'S11',
    what: "A drain terminates its instance without a look at the group's minimum.",
    places: [
      at(
        'core/drain/phases/terminating.ts',
        '(blockerOfPods(facts) ?? blockerOfGroup(drain, facts))',
        'blockerOfPods(facts)',
      ),
    ],
    tests: ['test/core/drain'],
  },
  {
    id: 'S12',
    what: 'A size that is tried again does not know that the first try may have set it.',
    places: [
      at('functions/actuate/set-size.ts', 'let mayBeSet = intent.attempts > 1;', 'let mayBeSet = false;'),
      at('functions/actuate/set-size.ts', '    mayBeSet = true;\n', ''),
    ],
    tests: ['test/functions/actuate'],
    simulation: AWS,
  },
  {
    id: 'S13',
    what: 'A time-out of the termination of an instance is taken for a refusal.',
    places: [
      at(
        'core/drain/phases/terminating.ts',
        "answer.class !== 'Other' && answer.class !== 'Timeout'",
        "answer.class !== 'Other'",
      ),
    ],
    tests: ['test/core/drain'],
  },
  {
    id: 'S14',
    what: 'A size that has just been set is not counted where the description of the group is older: nodes are launched twice.',
    places: [
      at(
        'core/actuation/changes/in-flight-changes.ts',
        "status === 'done' && claimedUntil !== null &&",
        "status === 'done' && claimedUntil === undefined &&",
      ),
    ],
    tests: ['test/core/actuation/changes'],
    simulation: AWS,
  },
  {
    id: 'S15',
    what: 'Drains that have lost their driver are never resumed.',
    places: [
      at('core/drain/drivers.ts', '!hasEnded(drain) && drivenUntil <= now', '!hasEnded(drain) && drivenUntil <= 0'),
    ],
    tests: ['test/core/drain', 'test/functions/actuate'],
    simulation: AWS,
  },
  {
    id: 'S16',
    what: 'A driver that another one has overtaken performs its effects all the same.',
    places: [
      at(
        'functions/drain/advance.ts',
        'if (saved === null) {\n',
        'if (saved === null) {\n    await performEffects(driver, effects);\n',
      ),
    ],
    tests: ['test/functions/drain'],
    simulation: AWS,
  },
  {
    id: 'S17',
    what: 'A drain terminates its instance without a look at pods that must stay.',
    places: [
      at(
        'core/drain/phases/terminating.ts',
        '(blockerOfPods(facts) ?? blockerOfGroup(drain, facts))',
        'blockerOfGroup(drain, facts)',
      ),
    ],
    tests: ['test/core/drain'],
    simulation: AWS,
  },
  {
    id: 'S18',
    what: 'The cluster may have three nodes more than `maxNodesTotal`.',
    places: [
      at('core/nodegroups/resource-quotas.ts', 'left: options.maxNodesTotal }', 'left: options.maxNodesTotal + 3 }'),
    ],
    tests: ['test/core/nodegroups'],
    simulation: { provider: 'aws', draw: ['maxNodesTotal'] },
  },
  {
    id: 'S19',
    what: 'Notices are answered by the next scan, and not at once.',
    places: [at('functions/wake/wake.ts', 'instances > 0', 'instances < 0')],
    tests: ['test/functions/wake'],
    simulation: AWS,
  },
  {
    id: 'S20',
    what: 'Capacity schedules begin eight minutes late.',
    places: [
      at(
        'core/headroom/scheduled-minimums.ts',
        '[now, addTime(now, AHEAD)]',
        '[addTime(now, -480_000 as typeof AHEAD)]',
      ),
    ],
    tests: ['test/core/headroom/scheduled-minimums'],
    simulation: AWS,
  },
  {
    id: 'S21',
    what: 'An instance is terminated as one that never registered, however long ago that was decided, although it is a node by now.',
    places: [
      at(
        'functions/actuate/delete-instances.ts',
        'if (isDeletionOutdated(intent, services.now())) {',
        'if (intent.attempts < 0) {',
      ),
      at(
        'functions/actuate/delete-instances.ts',
        'if (registered.has(instance)) {',
        'if (registered.has(instance) && staying === null) {',
      ),
    ],
    tests: ['test/functions/actuate'],
    simulation: AWS,
  },
  {
    id: 'S22',
    what: 'The backoff after a failed launch is over at once.',
    places: [
      at(
        'core/registry/backoff.ts',
        'return { until: addTime(now, duration), duration',
        'return { until: now, duration',
      ),
    ],
    tests: ['test/core/registry'],
    simulation: AWS,
  },
  {
    id: 'S23',
    what: 'A node group in backoff is raised all the same.',
    places: [
      at('core/nodegroups/skip-reason.ts', 'if (status.backoff !== null) {', 'if (status.backoff?.until === null) {'),
    ],
    tests: ['test/core/nodegroups', 'test/core/scaleup'],
    simulation: AWS,
  },
  {
    id: 'S24',
    what: 'Disruption budgets do not count nodes that are being drained.',
    places: [
      at(
        'core/scaledown/node-budgets/away.ts',
        'leaving.has(node.name) || isLeaving(node) || !isReady(node, options)',
        '!isReady(node, options)',
      ),
    ],
    tests: ['test/core/scaledown/node-budgets'],
    simulation: AWS,
  },
  {
    id: 'S25',
    what: 'Capacity schedules do not raise the minimum of their node group.',
    places: [
      at(
        'core/headroom/scheduled-minimums.ts',
        'minSize: Math.max(group.minSize, scheduledMinimum.nodes)',
        'minSize: group.minSize',
      ),
    ],
    tests: ['test/core/headroom/scheduled-minimums'],
    simulation: AWS,
  },
  {
    id: 'S26',
    what: 'Interruptions of Spot instances are ignored.',
    places: [
      at(
        'core/notices/due.ts',
        "return ANSWERS[spotInterruption] ?? 'Ignore';",
        "return spotInterruption === 'drain' ? 'Ignore' : 'Ignore';",
      ),
    ],
    tests: ['test/core/notices'],
    simulation: AWS,
  },
  {
    id: 'S27',
    what: 'The capacity that a ProvisioningRequest was given is reserved for no time.',
    places: [at('core/headroom/requests/requests.ts', 'BOOKING_TIME = minutes(10)', 'BOOKING_TIME = minutes(0)')],
    tests: ['test/core/headroom/requests', 'test/core/scaleup/requests'],
    simulation: AWS,
  },
  {
    id: 'S28',
    what: 'A drain goes on although its node has lost the taint.',
    places: [
      at(
        'core/drain/blockers.ts',
        'if (blocker !== null || facts.node === null || hasMarkers(facts.node, drain)) {',
        'if (blocker !== null || facts.node === null || !hasMarkers(facts.node, { ...drain, id: drain.node })) {',
      ),
    ],
    tests: ['test/core/drain'],
    simulation: AWS,
  },
  {
    id: 'S29',
    what: 'A size that was decided and is not set yet does not count: nodes are launched twice.',
    places: [
      at(
        'core/actuation/changes/in-flight-changes.ts',
        'target = intent.to - endedSince;',
        'target = intent.from - endedSince;',
      ),
    ],
    tests: ['test/core/actuation/changes'],
    simulation: AWS,
  },
  {
    id: 'S30',
    what: 'A drain terminates the instance of another node.',
    places: [
      at(
        'core/actuation/intents-of.ts',
        '? null : { uid, instance };',
        '? null : { uid, instance: [...instanceOf.values()][0]! };',
      ),
    ],
    tests: ['test/core/actuation'],
    simulation: AWS,
  },
  {
    id: 'S31',
    what: 'A drain terminates its instance while pods that have to move are still on the node.',
    places: [at('core/drain/observation.ts', 'moving.push({ pod, drainability });', '')],
    tests: ['test/core/drain'],
    simulation: AWS,
  },
  {
    id: 'S32',
    what: 'On Cluster API, a size is lowered while the group replaces its Machines: its controller deletes another one.',
    places: [
      at(
        'providers/clusterapi/changes/next-step.ts',
        'if (rollsOutNow(group) && !goesFirst(group, machine)) {',
        'if (rollsOutNow(group) && paused === undefined) {',
      ),
      at('providers/clusterapi/groups/drift.ts', 'owner?.uid === first.uid', 'first !== undefined'),
    ],
    tests: ['test/providers/clusterapi/changes'],
    simulation: CLUSTER_API,
  },
  {
    id: 'S33',
    what: 'Nodes are launched beyond the maximum of their node group.',
    places: [at('core/scaleup/orchestrator/estimate-group.ts', 'max: maxSize })),', 'max: maxSize + 5 })),')],
    tests: ['test/core/scaleup'],
    simulation: AWS,
  },
  {
    id: 'S34',
    what: 'The intents of a decision are not stored.',
    places: [
      at('functions/evaluate/commit.ts', 'state, intents, settled, decision', 'state, intents: [], settled, decision'),
    ],
    tests: ['test/functions/evaluate'],
    simulation: AWS,
  },
  {
    id: 'S35',
    what: 'The clocks of unneeded nodes begin anew with each evaluation.',
    places: [
      at(
        'functions/evaluate/load.ts',
        'return { ...persisted, drains',
        'return { ...persisted, state: { ...persisted.state, unneededSince: {} }, drains',
      ),
    ],
    tests: ['test/functions/evaluate', 'test/laws'],
    simulation: AWS,
  },
  {
    id: 'S36',
    what: 'Notices are not stored.',
    places: [at('providers/notices/assign.ts', 'await pMap(own, async', 'await pMap(own.slice(own.length), async')],
    tests: ['test/functions/wake'],
    simulation: AWS,
  },
  {
    id: 'S37',
    what: 'Lifecycle hooks of terminating instances are not completed.',
    places: [at('core/drain/phases/terminating.ts', ": { kind: 'completeHook', ...", ": { kind: 'heartbeat', ...")],
    tests: ['test/core/drain'],
    simulation: AWS,
  },
  {
    id: 'S38',
    what: 'Each read of the node of a drain fails by a programming error, which the drain survives.',
    places: [
      at(
        'functions/drain/advance.ts',
        'await observeDrain(run, drain, now);',
        'await observeDrain({ ...run, services: null as never }, drain, now);',
      ),
    ],
    tests: ['test/functions/drain'],
    simulation: AWS,
  },
  {
    id: 'S39',
    what: 'A size is set that is one larger than the decided one.',
    places: [
      at(
        'functions/actuate/set-size.ts',
        'await run.cluster.groups.setSize(group, to, run.signal)',
        'await run.cluster.groups.setSize(group, to + 1, run.signal)',
      ),
    ],
    tests: ['test/functions/actuate'],
    simulation: AWS,
  },
];

/** Random mutants that tests did not see once. */
const ONCE_UNSEEN: readonly Defect[] = [
  {
    id: 'M01',
    what: 'Two nodes are never consolidated into one.',
    places: [at('core/disruption/consolidation/search.ts', '(set) => set.length > 1,', '(set) => set.length > 2,')],
    tests: ['test/core/disruption'],
  },
  {
    id: 'M02',
    what: 'An object that was read in part loses in a snapshot what could not be read.',
    places: [
      at(
        'providers/kubernetes/read/snapshot/entry-columns.ts',
        'if (entry.item === null || entry.rejected.length > 0) {',
        'if (entry.item === null) {',
      ),
    ],
    tests: ['test/providers/kubernetes/read'],
  },
  {
    id: 'M03',
    what: 'Nodes that could not be removed are forgotten whenever drains are settled.',
    places: [
      at(
        'core/actuation/changes/drains.ts',
        '...(Object.entries(state.unremovableUntil) as [NodeName, EpochMs][]),',
        '',
      ),
    ],
    tests: ['test/core/actuation/changes', 'test/laws'],
  },
  {
    id: 'M04',
    what: 'The dead-letter queue of a FIFO queue is none: the deployment fails.',
    places: [at('cdk/stack/state.ts', "'DeadLetters', {\n    fifo: true,", "'DeadLetters', {")],
    tests: ['test/cdk'],
  },
  {
    id: 'M05',
    what: 'A node with the taint of a drain that is not known is never reported.',
    places: [at('core/wakeups/health-problems.ts', ', ...taints.map(removalSince)', '')],
    tests: ['test/core/wakeups'],
  },
  {
    id: 'M06',
    what: 'A driver of a resumed drain that cannot be started is not noticed.',
    places: [
      at(
        'functions/actuate/restart-drains.ts',
        'await services.startDrains(cluster.name, [id], attempt);',
        'void services.startDrains(cluster.name, [id], attempt).catch(() => {});',
      ),
    ],
    tests: ['test/functions/actuate'],
  },
  {
    id: 'M07',
    what: 'The removal of nodes is done although no driver of their drains could be started.',
    places: [
      at(
        'functions/actuate/remove-nodes.ts',
        'await services.startDrains(cluster.name, ids, 1);',
        'void services.startDrains(cluster.name, ids, 1).catch(() => {});',
      ),
    ],
    tests: ['test/functions/actuate'],
  },
  {
    id: 'M08',
    what: 'Two lists of one kind that are asked for at once change the same view at the same time.',
    places: [
      at(
        'providers/kubernetes/read/view/cached-lists.ts',
        'kept.before = listed.catch(() => {});',
        'listed.catch(() => {});',
      ),
    ],
    tests: ['test/providers/kubernetes/read/view'],
  },
  {
    id: 'M10',
    what: 'Objects that cannot be read are neither logged nor counted.',
    places: [at('functions/evaluate/observe.ts', '  reportRejected(services, rejected);\n', '')],
    tests: ['test/functions'],
  },
  {
    id: 'M11',
    what: 'Objects that cannot be read are not counted.',
    places: [at('functions/evaluate/observe.ts', "metrics.count('RejectedObjects', rejected.length);", '')],
    tests: ['test/functions'],
  },
  {
    id: 'M12',
    what: 'On Cluster API, a size that another client lowers is raised again and again.',
    places: [at('providers/clusterapi/changes/next-step.ts', 'claim.from - 1 && !attempt.raised;', 'claim.from - 1;')],
    tests: ['test/providers/clusterapi/changes'],
  },
  {
    id: 'M13',
    what: 'A quota for affinity across namespaces counts only buffers all of whose affinity terms are across namespaces.',
    places: [at('core/headroom/quota-ledger.ts', '.some(isAcrossNamespaces)', '.every(isAcrossNamespaces)')],
    tests: ['test/core/headroom'],
  },
  {
    id: 'M14',
    what: 'A number of replicas that has changed alone is not written to the status of a CapacityBuffer.',
    places: [
      at(
        'core/headroom/buffer-status.ts',
        'buffer.statusReplicas === replicas &&\n  wanted.every',
        'buffer.statusReplicas !== undefined &&\n  wanted.every',
      ),
    ],
    tests: ['test/core/headroom'],
  },
  {
    id: 'M15',
    what: 'A CapacityBuffer with a problem and with replicas is said to be without replicas.',
    places: [
      at(
        'core/headroom/buffer-status.ts',
        'if (wanted === 0 && problem !== undefined) {',
        'if (problem !== undefined) {',
      ),
    ],
    tests: ['test/core/headroom'],
  },
  {
    id: 'M16',
    what: 'A CapacityBuffer counts finished pods of what its percentage is of.',
    places: [at('core/headroom/capacity-buffers.ts', '&& !isFinished(pod) && belongsTo', '&& belongsTo')],
    tests: ['test/core/headroom'],
  },
  {
    id: 'M17',
    what: 'One node more than `maxDrainParallelism` is replaced for rebalance recommendations.',
    places: [
      at(
        'core/notices/departures.ts',
        'Math.max(0, options.maxDrainParallelism - drains)',
        'Math.max(1, options.maxDrainParallelism - drains)',
      ),
    ],
    tests: ['test/core/notices'],
  },
  {
    id: 'M18',
    what: 'The first minute is left out where a schedule of a budget ends before a deadline.',
    places: [
      at(
        'core/scaledown/node-budgets/node-budget-tracker.ts',
        'Math.floor(now / MINUTE);',
        'Math.floor(now / MINUTE) + 2;',
      ),
    ],
    tests: ['test/core/scaledown/node-budgets'],
  },
  {
    id: 'M19',
    what: 'A node group all of whose instances never registered is taken for one without instances.',
    places: [
      at(
        'core/registry/health.ts',
        'unregistered.length + longUnregistered.length === 0',
        'unregistered.length - longUnregistered.length === 0',
      ),
    ],
    tests: ['test/core/registry'],
  },
  {
    id: 'M20',
    what: 'More pods are taken off a node that opens than are planned there.',
    places: [at('core/placement/schedulable-nodes.ts', 'Math.min(count, there)', 'Math.max(count, there)')],
    tests: ['test/core/placement'],
  },
  {
    id: 'M21',
    what: "The functions' invocations are left out of the cost on the dashboard.",
    places: [at('cdk/stack/own-cost.ts', 'add(`i${i}`, one.metricInvocations(sum), LIST_PRICES.lambdaRequest);', '')],
    tests: ['test/cdk'],
  },
  {
    id: 'M22',
    what: 'The function that drains nodes is left out of the widgets of the dashboard.',
    places: [at('cdk/stack/dashboard.ts', 'scaleDown, drain, actuate]', 'scaleDown, actuate]')],
    tests: ['test/cdk'],
  },
];

export const DEFECTS: readonly Defect[] = [...SAFETY, ...ONCE_UNSEEN, ...HOSTILE];
