import { randomUUID } from 'node:crypto';
import type { CoreV1Event, V1ConfigMap, V1Node, V1Pod } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import type { NodeGroupStatus } from '../../core/model/cluster/autoscaler-status.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { startProxy } from './servers/proxy.ts';
import {
  groupsOfJson,
  groupsOfText,
  joined,
  type NodeJson,
  type PodJson,
  podOfJson,
  podOfText,
  podsOfJson,
  podsOfText,
  readPrinted,
  sectionOfText,
  type StatusJson,
} from './story/commands.ts';
import {
  eventsOf,
  pageOf,
  pageSaidBy,
  type Place,
  printed,
  reportOf,
  started,
  STATUS,
  statusInCluster,
  timeless,
} from './story/place.ts';
import { groupsOnPage, growingOnPage, podsOnPage, staysOnPage } from './story/page.ts';
import { messageTold } from './story/told.ts';
import { groupsShown, podShown, podsListed, podsShown, sectionOf, widgetOver } from './story/widget.ts';
import { serverSet } from './server-set.ts';

/** Nodes are looked at anew each time, and none goes while the test does. */
const OPTIONS = { scaleDownDelayAfterAdd: '0s', scaleDownUnneededTime: '10m', unremovableNodeRecheckTimeout: '0s' };

/** Two nodes, one of which a pod keeps; a group that can grow, one with a taint, and one that may have no node. */
async function createGround(cluster: E2eCluster): Promise<void> {
  await cluster.createGroups({ name: 'small', zones: ['us-east-1a', 'us-east-1b'], desired: 1 });
  await cluster.createGroups({ name: 'big', instanceType: 'm5.xlarge', zones: ['us-east-1c'] });
  await cluster.createGroups({
    name: 'ml',
    instanceType: 'm5.2xlarge',
    tags: { 'k8s.io/cluster-autoscaler/node-template/taint/dedicated': 'ml:NoSchedule' },
  });
  await cluster.createGroups({ name: 'none', instanceType: 'm5.4xlarge', max: 0 });
  // Instances for the pods shall not become nodes: the decision for the pods stays the last one.
  cluster.bridge(0, [`${cluster.name}-big-c`]);
  await cluster.untilNodes(2);
}

const createPod = async ({ kube, name }: E2eCluster, pod: string, cpu: string, nodeSelector = {}): Promise<void> => {
  await kube.create(`/api/v1/namespaces/${name}/pods`, {
    metadata: { name: pod },
    spec: {
      containers: [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu } } }],
      nodeSelector,
    },
  });
};

test('events, the status in the cluster, the commands, the widget and the page tell one story', async () => {
  const cluster = await openCluster('story');
  const { kube, name } = cluster;
  const told = Promise.withResolvers<void>();
  const place: Place = { cluster, table: `outrigger-${randomUUID()}`, endpoint: serverSet.dynamodbEndpoint };
  await createGround(cluster);
  await createPod(cluster, 'bare', '100m', { 'topology.kubernetes.io/zone': 'us-east-1a' });
  await cluster.untilRunning(1);
  // The status is of another test's cluster.
  await kube.remove(STATUS);

  // Until what is unneeded is known, and written.
  const before = await started(place, OPTIONS, 'before', '--schedule=1s');
  await expect
    .poll(async () => (await statusInCluster(cluster).catch(() => null))?.clusterWide.scaleDown)
    .toMatchObject({ status: 'CandidatesPresent', candidates: 1 });
  expect(await before.stop()).toBe('0');

  for (const [pod, cpu, selector] of [
    ['web-1', '3', {}],
    ['web-2', '3', {}],
    ['huge', '64', {}],
    ['elsewhere', '1', { kind: 'other' }],
  ] as const) {
    await createPod(cluster, pod, cpu, selector);
  }
  const waiting = await kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: 'the verdict of the scheduler on four pods',
    holds: (pods) =>
      pods.filter(({ status }) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable')).length === 4,
  });
  // Once it is stored what both parts have decided, AWS answers no more before all has been told: it stays the last decision.
  const widget = widgetOver(name, place.table, place.endpoint);
  onTestFinished(() => widget.close());
  const hasDecided = async (): Promise<boolean> => {
    const page = pageSaidBy(outrigger);
    const decisions = page === undefined ? [] : (await reportOf(page)).decisions;
    return decisions.some(({ kind }) => kind === 'scale-down') && (await widget.hasGrown());
  };
  const aws = await startProxy(serverSet.awsEndpoint, async ({ action, forward }) => {
    if (action === 'SetDesiredCapacity' || (await hasDecided())) {
      await told.promise;
    }
    return await forward();
  });
  onTestFinished(() => aws.stop());
  const outrigger = await started(
    place,
    OPTIONS,
    'once',
    '--schedule=1h',
    '--timeout=10m',
    '--ui',
    '--address=127.0.0.1:0',
    `--aws-endpoint=${aws.endpoint}`,
  );
  await kube.until<CoreV1Event>(`/api/v1/namespaces/${name}/events`, {
    what: 'an event of each waiting pod',
    holds: (all) => all.filter(({ source }) => source?.component === 'outrigger').length >= 4,
  });
  await expect.poll(async () => (await statusInCluster(cluster)).clusterWide.scaleUp.status).toBe('InProgress');
  await expect.poll(hasDecided).toBe(true);
  await widget.untilStill(1_500);
  const version = await widget.version();
  const report = await reportOf(await pageOf(outrigger));
  expect(report.decisions.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['scale-up', 'scale-down']));

  const statusUid = (await kube.get<V1ConfigMap>(STATUS)).metadata!.uid!;
  const [keeps = '', goes = ''] = await nodesByZone(cluster);
  const asked = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await printed(place, ...args, '-o', 'json')) as T;
  const read = async (...args: readonly string[]) => readPrinted(await printed(place, ...args));

  // Node groups: sizes, decisions, and the reason why one group cannot grow.
  const status = await asked<StatusJson>('status');
  const statusText = await read('status');
  const overview = await widget.show({});
  const groups = groupsOfJson(status);
  const group = (size: string, ready: number, max = 5, trouble = '') => ({ size, min: 0, max, ready, trouble });
  expect(groups).toEqual({
    [`${name}-big-c`]: group('0 → 2', 0),
    [`${name}-ml-a`]: group('0', 0),
    [`${name}-none-a`]: group('0', 0, 0, 'max node group size reached: maxSize 0'),
    [`${name}-small-a`]: group('1', 1),
    [`${name}-small-b`]: group('1', 1),
  });
  expect(groupsOfText(statusText)).toEqual(groups);
  expect(groupsShown(overview)).toEqual(groups);
  expect(groupsShown(await widget.show({ list: 'groups' }))).toEqual(groups);
  expect(groupsOnPage(report)).toEqual(groups);
  const { clusterWide, nodeGroups } = await statusInCluster(cluster);
  expect(Object.fromEntries(nodeGroups.map((one) => [one.name, sizesInCluster(one)]))).toEqual(
    Object.fromEntries(
      Object.entries(groups).map(([of, { size, min, max, ready }]) => [
        of,
        { grows: size.includes('→'), from: Number(size.split(' ')[0]), min, max, ready },
      ]),
    ),
  );
  expect(clusterWide.health.nodeCounts.registered.ready).toBe(2);
  const growing = async () =>
    (await eventsOf(cluster, 'kube-system', statusUid)).flatMap(({ reason, message }) =>
      reason === 'ScaledUpGroup' && message!.includes('setting') ? [message] : [],
    );
  await expect.poll(growing).toEqual(growingOnPage(report));
  expect(growingOnPage(report)).toEqual([`Scale-up: setting group ${name}-big-c size to 2 instead of 0 (max: 5)`]);

  // Each of them by itself.
  for (const [one, { size, min, max, ready, trouble }] of Object.entries(groups)) {
    const json = await asked<StatusJson['groups'][number]>('explain', 'group', one);
    expect(groupsOfJson({ groups: [json] })).toEqual({ [one]: groups[one] });
    const text = await read('explain', 'group', one);
    const facts = { Size: `${size}, of ${min} to ${max}`, Nodes: `${ready} ready` };
    expect(text.facts).toMatchObject(facts);
    const cannot = joined(text.titled['Cannot grow now'] ?? []);
    expect(cannot).toContain(trouble);
    expect(cannot !== '').toBe(trouble !== '');
    const shown = await widget.show({ subject: 'group', name: one });
    expect(shown.facts).toMatchObject(facts);
    expect(
      sectionOf(shown, 'Cannot grow now')
        .rows.map(([, why]) => why!.split('\n')[0])
        .join(''),
    ).toBe(trouble);
  }

  // Pods: what becomes of each, and why.
  const pods = podsOfJson(status);
  const growth = `${name}-big-c 0 → 2`;
  const triggered = { outcome: 'Triggered', growth, reasons: [], details: '' };
  expect(pods).toEqual({
    [`${name}/web-1`]: triggered,
    [`${name}/web-2`]: triggered,
    [`${name}/huge`]: {
      outcome: 'Unschedulable',
      growth: null,
      reasons: ['3 Insufficient cpu', '1 max node group size reached', UNTOLERATED],
      details: expect.stringMatching(/^\S+: asks for 64 CPU; a new node has 3\.92.* Nearest: \S+-big-c, with /),
    },
    [`${name}/elsewhere`]: {
      outcome: 'Unschedulable',
      growth: null,
      reasons: ["3 node(s) didn't match Pod's node affinity/selector", '1 max node group size reached', UNTOLERATED],
      details: expect.stringMatching(/ wants kind=other; a new node has no such label.* Nearest: /),
    },
  });
  expect(podsOfText(statusText, pods)).toEqual(pods);
  // Lists of the widget leave the details to the page of a pod.
  const brief = Object.fromEntries(Object.entries(pods).map(([pod, one]) => [pod, { ...one, details: '' }]));
  expect(podsShown(overview)).toEqual(brief);
  expect(podsListed(await widget.show({ list: 'pods' }), groups)).toEqual(brief);
  const onPage = podsOnPage(report, pods);
  expect(Object.keys(onPage).toSorted()).toEqual(Object.keys(pods).toSorted());
  for (const { metadata } of waiting.filter(({ metadata: of }) => of?.name !== 'bare')) {
    const pod = `${name}/${metadata!.name!}`;
    const one = pods[pod]!;
    const events = await eventsOf(cluster, name, metadata!.uid!);
    expect(events.map(({ reason, message }) => `${reason} ${message}`)).toEqual([onPage[pod]!.event]);
    expect(messageTold(events[0]!.message!)).toEqual(one);
    expect(onPage[pod]).toMatchObject({ told: one, reasons: one.reasons });
    const json = await asked<PodJson>('explain', 'pod', pod);
    const explained = podOfJson(json);
    expect(explained).toEqual({ ...one, meaning: expect.any(String) });
    expect(podOfText(await read('explain', 'pod', pod))).toEqual(explained);
    expect(podShown(await widget.show({ subject: 'pod', name: pod }))).toEqual(explained);
  }

  // Nodes: why each is still there.
  const stays = staysOnPage(report);
  expect(stays).toEqual({
    [keeps]: expect.stringMatching(/^BlockedByPod: pod story\/bare: .* \(NotReplicated\)$/),
    [goes]: expect.stringMatching(/^NotUnneededLongEnough: /),
  });
  for (const node of [keeps, goes]) {
    const said = stays[node]!;
    const { reason, why, podReason, meaning, advice } = (await asked<NodeJson>('explain', 'node', node)).unremovable;
    const explained = `${reason}: ${why}${podReason === null ? '' : ` (${podReason})`}`;
    expect(timeless(explained)).toBe(timeless(said));
    const text = await read('explain', 'node', node);
    const shown = sectionOf(await widget.show({ subject: 'node', name: node }), WHY_IT_IS_KEPT).text.split('\n');
    expect(shown[0]).toBe(explained);
    const more = [meaning, advice].filter((part) => part !== null).join(' ');
    expect(shown.at(-1)).toBe(more);
    expect(joined(text.titled[WHY_IT_IS_KEPT]!)).toBe(`${explained} ${more}`);
    expect(timeless(report.nodes.find((one) => one.name === node)!.note)).toBe(
      timeless(said.slice(said.indexOf(': ') + 2)),
    );
  }
  // The one that is kept: on the first page of the widget, in its list, and by the pod.
  for (const shown of [overview, await widget.show({ list: 'nodes' })]) {
    expect(sectionOf(shown, 'Nodes kept').rows.map(([of, why]) => [of, why!.split('\n')[0]])).toEqual([
      [keeps, stays[keeps]],
    ]);
  }
  const bare = `${name}/bare`;
  const kept = (await asked<PodJson>('explain', 'pod', bare)).keeps;
  expect(kept.map(({ node, why }) => `${node} BlockedByPod: pod ${bare}: ${why} (NotReplicated)`)).toEqual([
    `${keeps} ${stays[keeps]}`,
  ]);
  const { titled } = await read('explain', 'pod', bare);
  expect(joined(titled['Keeps its node']!)).toBe(`${keeps} ${kept[0]!.why} ${kept[0]!.advice}`);
  expect(sectionOf(await widget.show({ subject: 'pod', name: bare }), 'Keeps its node').rows).toEqual([
    [keeps, `${kept[0]!.why}\n${kept[0]!.advice}`],
  ]);
  // The one that is unneeded: in both forms of the status, and counted in the cluster's.
  const unneeded = status.unneeded.map(({ node, why }) => [node, why]);
  expect(unneeded.map(([node, why]) => [node, timeless(why!)])).toEqual([
    [goes, timeless(stays[goes]!.replace(/^\w+: /, ''))],
  ]);
  expect(joined(sectionOfText(statusText, 'Unneeded nodes'))).toMatch(
    new RegExp(`^${goes} ${name}-small-b since .*; at the last decision: ${unneeded[0]![1]}$`),
  );
  expect(
    sectionOf(overview, 'Unneeded nodes').rows.map(([of, why]) => [of, why!.replace(/^.*last decision: /, '')]),
  ).toEqual([[goes, `${unneeded[0]![1]}\n${name}-small-b`]]);
  expect(clusterWide.scaleDown).toMatchObject({ status: 'CandidatesPresent', candidates: 1 });
  expect(nodeGroups.filter(({ scaleDown }) => scaleDown.candidates === 1).map((one) => one.name)).toEqual([
    `${name}-small-b`,
  ]);

  // The cluster as a whole: its mode, both parts, its nodes.
  const head = Object.fromEntries(report.facts.map(([of, value]) => [of, timeless(value)]));
  for (const fact of ['Mode', 'Scale-up', 'Scale-down', 'Nodes']) {
    expect(timeless(statusText.facts[fact]!)).toBe(head[fact]);
    expect(timeless(overview.facts[fact]!)).toBe(head[fact]);
  }
  expect(head).toMatchObject({
    'Scale-up': expect.stringMatching(/^node groups grow/),
    Nodes: '2 ready, the cluster is healthy',
  });
  // All of it was about one state.
  expect(await widget.version()).toBe(version);
  told.resolve();
  expect(await outrigger.stop()).toBe('0');
});

const WHY_IT_IS_KEPT = 'Why it is kept, by the last decision';
const UNTOLERATED = '1 node(s) had untolerated taint(s)';

/** The node in the first zone, and the other one. */
const nodesByZone = async ({ kube }: E2eCluster): Promise<readonly string[]> =>
  (await kube.list<V1Node>('/api/v1/nodes'))
    .map(({ metadata }) => ({ node: metadata!.name!, zone: metadata!.labels!['topology.kubernetes.io/zone']! }))
    .toSorted((a, b) => (a.zone < b.zone ? -1 : 1))
    .map(({ node }) => node);

const sizesInCluster = ({ health, scaleUp }: NodeGroupStatus) => ({
  grows: scaleUp.status === 'InProgress',
  from: health.cloudProviderTarget,
  min: health.minSize,
  max: health.maxSize,
  ready: health.nodeCounts.registered.ready,
});
