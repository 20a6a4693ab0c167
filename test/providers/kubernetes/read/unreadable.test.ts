import { describe, expect, it } from 'vitest';
import {
  NODES,
  type ObservedKind,
  OTHERS,
  POD_DISRUPTION_BUDGETS,
  POD_LISTS,
  VOLUME_ATTACHMENTS,
} from '../../../../providers/kubernetes/read/kinds.ts';
import { pageReader } from '../../../../providers/kubernetes/read/page.ts';
import { PROTOBUF } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import { listOf, map, message } from '../wire-encoder.ts';

type Json = Readonly<Record<string, unknown>>;

const CSI_NODES = OTHERS.find(({ kind }) => kind === 'CSINode')!;
const REPLICA_SETS = OTHERS.find(({ kind }) => kind === 'ReplicaSet')!;

const readJson = (kind: ObservedKind, ...items: readonly Json[]) =>
  pageReader(kind).page({
    status: 200,
    headers: {},
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify({ kind: `${kind.kind}List`, items })),
  });

const readProtobuf = (kind: ObservedKind, ...items: readonly Buffer[]) =>
  pageReader(kind).page({ status: 200, headers: {}, contentType: PROTOBUF, body: listOf('v1', kind.kind, items) });

const named = (name: string, rest: Json = {}): Json => ({
  metadata: { name, namespace: 'default', uid: name },
  ...rest,
});

describe('an object that cannot be read', () => {
  it.each<[string, ObservedKind, Json, string?]>([
    ['Pod on a node', POD_LISTS, named('p', { spec: { nodeName: 'n1', overhead: { cpu: 'lots' } } }), 'UnreadablePod'],
    ['Pod that waits', POD_LISTS, named('p', { spec: { overhead: { cpu: 'lots' } } })],
    ['Pod whose node is no text', POD_LISTS, named('p', { spec: { nodeName: 7 } })],
    ['Node', NODES, named('n1', { status: { capacity: { cpu: 'many' } } }), 'UnreadableNode'],
    ['CSINode', CSI_NODES, named('n1', { spec: { drivers: 'none' } }), 'UnreadableCSINode'],
    [
      'VolumeAttachment',
      VOLUME_ATTACHMENTS,
      named('a', { spec: { nodeName: 'n1', attacher: 7 } }),
      'UnreadableVolumeAttachment',
    ],
    ['ReplicaSet', REPLICA_SETS, named('r', { spec: { replicas: 'three' } })],
  ])('excludes the node that it is about: %s', (_, kind, raw, reason) => {
    const { rejected } = readJson(kind, raw);
    expect(rejected).toHaveLength(1);
    expect(rejected[0]!.excludes).toEqual(reason === undefined ? undefined : { node: 'n1', reason });
  });

  it('a Node stays, as far as it can be read, or its instance would look like one that never registered', () => {
    const { items } = readJson(
      NODES,
      named('n1', { spec: { providerID: 'aws:///a/i-1' }, status: { allocatable: { cpu: '4', memory: 'much' } } }),
    );
    expect(items).toMatchObject([{ name: 'n1', providerId: 'aws:///a/i-1', allocatable: { cpu: 4_000 } }]);
  });

  it('a Node that does not even say its name fails the reading: it may be that of any instance', () => {
    expect(() => readJson(NODES, { metadata: {} })).toThrow(/A node cannot be read, not even its name/);
  });

  it('a PodDisruptionBudget stands for one that covers its whole namespace and allows nothing', () => {
    const { items, rejected } = readJson(
      POD_DISRUPTION_BUDGETS,
      named('web', { spec: { selector: 'all' }, status: { disruptionsAllowed: 5 } }),
    );
    expect(rejected).toHaveLength(1);
    expect(items).toMatchObject([
      { namespace: 'default', name: 'web', selector: { matchLabels: {} }, disruptionsAllowed: 0, unreadable: true },
    ]);
  });

  it('gives its node even where its bytes are malformed', () => {
    const container = message([1, 'main'], [2, 'image'], [4, 5]);
    // Field 4 of the spec's container list claims more bytes than there are.
    const broken = Buffer.concat([container, Buffer.from([0x42, 0x7f])]);
    const pod = message([1, message([1, 'odd'], [3, 'default'])], [2, message([2, broken], [10, 'n1'])]);
    const node = message([1, message([1, 'n1'])], [2, message([3, 'aws:///a/i-1'])], [3, Buffer.from([0x0a, 0x7f])]);
    expect(readProtobuf(POD_LISTS, pod).rejected).toMatchObject([
      { place: 'Pod default/odd', excludes: { node: 'n1', reason: 'UnreadablePod' } },
    ]);
    expect(readProtobuf(NODES, node)).toMatchObject({
      items: [{ name: 'n1', providerId: 'aws:///a/i-1' }],
      rejected: [{ excludes: { node: 'n1' } }],
    });
  });

  it('whose time is out of range costs no other object of its page', () => {
    const at = (seconds: number): Buffer => message([1, message([1, 'n1'], [8, message([1, seconds])])]);
    const { items, rejected } = readProtobuf(
      NODES,
      at(2 ** 50),
      message([1, message([1, 'n2'], ...map(11, { a: 'b' }))]),
    );
    expect(items.map((item) => ('name' in item ? item.name : ''))).toEqual(['n1', 'n2']);
    expect(rejected).toMatchObject([
      { excludes: { node: 'n1' }, found: expect.stringContaining('a time lies') as string },
    ]);
  });
});
