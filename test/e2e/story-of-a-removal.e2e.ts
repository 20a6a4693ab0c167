import { randomUUID } from 'node:crypto';
import type { CoreV1Event, V1ConfigMap, V1Node, V1Pod } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import type { DecisionOfReport } from '../../cli/html/report.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { SOON } from './soon.ts';
import {
  type GroupJson as SizedGroupJson,
  groupsOfJson,
  groupsOfText,
  joined,
  readPrinted,
  type StatusJson,
} from './story/commands.ts';
import {
  eventsOf,
  pageOf,
  type Place,
  printed,
  reportOf,
  started,
  STATUS,
  statusInCluster,
  timeless,
} from './story/place.ts';
import { groupsShown, sectionOf, widgetOver } from './story/widget.ts';
import { serverSet } from './server-set.ts';

/** Fields read here of `outrigger explain node -o json`. */
interface RemovedNodeJson {
  readonly group: string;
  readonly unremovable: object | null;
  readonly drain: {
    readonly kind: string;
    readonly phase: string;
    readonly doing: string;
    readonly phaseSince: string;
    readonly pods: { readonly asked: number; readonly gone: number };
    readonly outcome: { readonly kind: string; readonly at: string };
  };
}

/** Fields read here of `outrigger explain group -o json`. */
interface GroupJson extends SizedGroupJson {
  readonly lastScaleDown: string | null;
}

interface HistoryJson {
  readonly decisions: readonly { readonly kind: string; readonly did: string; readonly changes: boolean }[];
}

/** A node in each of two zones: a bare pod keeps the first, and a pod that may move is on the second. */
async function createGround(cluster: E2eCluster): Promise<{ readonly goes: V1Node; readonly moves: V1Pod }> {
  const { kube, name } = cluster;
  await cluster.createGroups({ name: 'small', zones: ['us-east-1a', 'us-east-1b'], desired: 1 });
  cluster.bridge(0);
  const zoneOf = ({ metadata }: V1Node): string => metadata!.labels!['topology.kubernetes.io/zone']!;
  const [keeps, goes] = (await cluster.untilNodes(2)).toSorted((a, b) => (zoneOf(a) < zoneOf(b) ? -1 : 1));
  const containers = [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '100m' } } }];
  await kube.create(`/api/v1/namespaces/${name}/pods`, {
    metadata: { name: 'bare' },
    spec: { containers, nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1a' } },
  });
  await cluster.untilRunning(1);
  const cordon = (unschedulable: boolean) =>
    kube.patch(`/api/v1/nodes/${keeps!.metadata!.name!}`, { spec: { unschedulable } });
  await cordon(true);
  const labels = { app: 'web' };
  await kube.create(`/apis/apps/v1/namespaces/${name}/deployments`, {
    metadata: { name: 'web' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  const pods = await cluster.untilRunning(2);
  await cordon(false);
  return { goes: goes!, moves: pods.find(({ metadata }) => metadata!.labels?.['app'] === 'web')! };
}

test('a node that was removed has one story in events, status, commands, widget and page', async () => {
  const cluster = await openCluster('removal');
  const { kube, name } = cluster;
  const place: Place = { cluster, table: `outrigger-${randomUUID()}`, endpoint: serverSet.dynamodbEndpoint };
  const { goes, moves } = await createGround(cluster);
  const node = goes.metadata!.name!;
  const group = `${name}-small-b`;
  await kube.remove(STATUS);
  const outrigger = await started(place, SOON, 'outrigger', '--schedule=1s', '--ui', '--address=127.0.0.1:0');
  await kube.until<V1Node>('/api/v1/nodes', {
    what: `the end of node ${node}`,
    holds: (nodes) => nodes.every(({ metadata }) => metadata!.name !== node),
  });
  await expect
    .poll(
      async () =>
        (await statusInCluster(cluster)).nodeGroups.find((one) => one.name === group)?.health.nodeCounts.registered
          .total,
    )
    .toBe(0);
  const widget = widgetOver(name, place.table, place.endpoint);
  onTestFinished(() => widget.close());
  const asked = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await printed(place, ...args, '-o', 'json')) as T;
  const read = async (...args: readonly string[]) => readPrinted(await printed(place, ...args));

  // Its drain ends when it finds the node gone, says so after that, and an evaluation takes it into the state.
  await expect.poll(async () => (await asked<GroupJson>('explain', 'group', group)).lastScaleDown).not.toBeNull();
  await expect
    .poll(async () => (await eventsOf(cluster, 'default', goes.metadata!.uid!)).map(({ message }) => message))
    .toContain('node removed by Outrigger');
  await cluster.untilEvaluations(2);

  // The node by itself: it was drained, and when it was gone.
  const explained = await asked<RemovedNodeJson>('explain', 'node', node);
  const { doing, phaseSince, outcome } = explained.drain;
  expect(explained).toMatchObject({
    group,
    unremovable: null,
    drain: { kind: 'drain', phase: 'Removed', pods: { asked: 1, gone: 1 }, outcome: { kind: 'removed' } },
  });
  const ended = `Removed: ${doing}, since ${phaseSince}`;
  const text = await read('explain', 'node', node);
  expect(text.facts).toMatchObject({ Node: node, 'Node group': group });
  expect(timeless(joined(text.titled['Drain']!))).toContain(ended);
  const shown = await widget.show({ subject: 'node', name: node });
  expect(shown.facts).toMatchObject({ Node: node, 'Node group': group });
  expect(timeless(sectionOf(shown, 'Drain').text)).toContain(ended);

  // Events of the node, its pod and the cluster; the page repeats the latter with the decision.
  const nodeEvents = await eventsOf(cluster, 'default', goes.metadata!.uid!);
  expect(nodeEvents.map(({ reason, message }) => `${reason}: ${message}`).toSorted()).toEqual([
    'ScaleDown: marked the node as toBeDeleted/unschedulable',
    'ScaleDown: node removed by Outrigger',
  ]);
  const podEvents = await eventsOf(cluster, name, moves.metadata!.uid!);
  expect(podEvents.map(({ reason }) => reason)).toEqual(['ScaleDown']);
  const report = await reportOf(await pageOf(outrigger));
  const removals = report.decisions.filter((one) => removedIn(one).some(({ subjects }) => subjects.includes(node)));
  expect(removals).toHaveLength(1);
  const { label, text: said } = removedIn(removals[0]!)[0]!;
  // Below it is where the pods have room.
  const [message = '', room = ''] = said.split('\n');
  expect(room).toMatch(/^Room for /);
  const statusUid = (await kube.get<V1ConfigMap>(STATUS)).metadata!.uid!;
  const ofCluster = (await eventsOf(cluster, 'kube-system', statusUid)).filter((one) => isAbout(one, node));
  expect(ofCluster.map((event) => [event.reason, event.message])).toEqual([[label, message]]);
  expect(label).toBe('ScaleDown');
  expect(report.nodes.find((one) => one.name === node)).toMatchObject({
    group,
    note: expect.stringMatching(/^removed/),
  });

  // The decision: in the history, on the first page of the widget, and on the page.
  const { decisions } = await asked<HistoryJson>('history');
  const did = decisions.filter(({ kind, changes }) => kind === 'scale-down' && changes).map((one) => one.did);
  expect(did).toEqual([removals[0]!.message]);
  expect(did[0]).toContain(node);
  const overview = await widget.show({});
  const listed = sectionOf(overview, 'Last decisions').rows.map(([said]) => said!.split('\n')[0]);
  expect(listed.filter((said) => said === did[0])).toHaveLength(1);
  expect(await printed(place, 'history')).toContain(did[0]);

  // The node group, one node smaller, and the cluster.
  const status = await asked<StatusJson>('status');
  const statusText = await read('status');
  const groups = groupsOfJson(status);
  expect(groups[group]).toEqual({ size: '0', min: 0, max: 5, ready: 0, trouble: '' });
  expect(groupsOfText(statusText)).toEqual(groups);
  expect(groupsShown(overview)).toEqual(groups);
  const json = await asked<GroupJson>('explain', 'group', group);
  expect(groupsOfJson({ groups: [json] })).toEqual({ [group]: groups[group] });
  expect(json.lastScaleDown).toBe(outcome.at);
  const groupText = await read('explain', 'group', group);
  expect(groupText.facts).toMatchObject({ Size: '0, of 0 to 5', Nodes: '0 ready' });
  const groupShown = await widget.show({ subject: 'group', name: group });
  expect(groupShown.facts).toMatchObject({ Size: '0, of 0 to 5', Nodes: '0 ready' });
  for (const { facts } of [groupText, groupShown]) {
    expect(timeless(facts['Last removal']!)).toBe(outcome.at);
  }
  const head = Object.fromEntries(report.facts);
  for (const said of [statusText.facts['Scale-down'], overview.facts['Scale-down'], head['Scale-down']]) {
    expect(timeless(said!)).toContain(`last removal at ${outcome.at}`);
  }
  for (const said of [statusText.facts['Nodes'], overview.facts['Nodes'], head['Nodes']]) {
    expect(said).toBe('1 ready, the cluster is healthy');
  }
  expect(await outrigger.stop()).toBe('0');
});

const removedIn = ({ sections }: DecisionOfReport) =>
  sections.find(({ title }) => title === 'Nodes removed')?.rows ?? [];

const isAbout = ({ reason, message }: CoreV1Event, node: string): boolean =>
  reason!.startsWith('ScaleDown') && message!.includes(node);
