/**
 * Every field of a pod and its node is read, or is listed here as one that no filter of kube-scheduler looks at. The recorded objects of a
 * newer Kubernetes fail these tests until each of their new fields has been judged.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { POD_LISTS } from '../../../providers/kubernetes/read/kinds.ts';
import { pageReader } from '../../../providers/kubernetes/read/page.ts';
import { openEnvelope, PROTOBUF } from '../../../providers/kubernetes/protobuf/envelope.ts';
import { decodeMessage, type MessageFields } from '../../../providers/kubernetes/protobuf/message.ts';
import { NODE } from '../../../providers/kubernetes/protobuf/node.ts';
import { POD } from '../../../providers/kubernetes/protobuf/pod.ts';
import { CSI_DRIVER, CSI_NODE } from '../../../providers/kubernetes/protobuf/storage.ts';
import { UNREAD_POD_FIELDS } from '../../../providers/manifest/pod-spec-fields.ts';
import { type FieldValue, listOf, message, type Value } from '../kubernetes/wire-encoder.ts';

const recorded = (file: string): Buffer => readFileSync(new URL(`../kubernetes/recorded/${file}`, import.meta.url));

/** The fields of an object that are missing in what is read of it, each as a path. */
function unread(whole: unknown, read: unknown, place = ''): readonly string[] {
  if (Array.isArray(whole)) {
    return whole.flatMap((item, index) => unread(item, Array.isArray(read) ? read[index] : undefined, place));
  }
  if (typeof whole !== 'object' || whole === null || typeof read !== 'object' || read === null) {
    return [];
  }
  const known = new Map<string, unknown>(Object.entries(read));
  return Object.entries(whole).flatMap(([name, value]) => {
    const path = place === '' ? name : `${place}.${name}`;
    return known.has(name) ? unread(value, known.get(name), path) : [path];
  });
}

const paths = (place: string, names: string): readonly string[] => names.split(' ').map((name) => `${place}.${name}`);

// volumeMounts.bindMountOptions: alpha in 1.37; kube-scheduler infers a feature of the node from it.
const CONTAINER =
  'image command args workingDir ports.name envFrom env resources.claims resizePolicy restartPolicyRules.exitCodes volumeMounts volumeDevices ' +
  'livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy ' +
  'securityContext stdin stdinOnce tty';

const CONTAINER_STATUS =
  'state lastState ready restartCount image imageID containerID started resources.claims volumeMounts user ' +
  'allocatedResourcesStatus stopSignal';

const UNREAD_OF_POD = [
  ...paths('spec', Object.keys(UNREAD_POD_FIELDS).join(' ')),
  ...paths('spec.containers', CONTAINER),
  ...paths('spec.initContainers', CONTAINER),
  // Volumes of these kinds are everywhere, or come from a network that every node reaches. In-tree Azure Disk, Cinder, Portworx and
  // vSphere are translated into CSI volumes by kube-scheduler, and are not found on EKS (docs/scheduler-conformance.md).
  ...paths(
    'spec.volumes',
    'gitRepo secret nfs glusterfs flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte ' +
      'azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos image ephemeral.volumeClaimTemplate hostPath.path ' +
      'hostPath.type emptyDir.sizeLimit emptyDir.mode gcePersistentDisk.fsType gcePersistentDisk.partition ' +
      'awsElasticBlockStore.fsType awsElasticBlockStore.partition iscsi.targetPortal iscsi.lun iscsi.iscsiInterface iscsi.fsType ' +
      'iscsi.portals iscsi.chapAuthDiscovery iscsi.chapAuthSession iscsi.secretRef iscsi.initiatorName rbd.fsType rbd.user ' +
      'rbd.keyring rbd.secretRef csi.readOnly csi.fsType csi.volumeAttributes csi.nodePublishSecretRef',
  ),
  // A pod with a claim is `NotSimulated`, whatever it claims.
  ...paths('spec.resourceClaims', 'resourceClaimName resourceClaimTemplateName'),
  'spec.resources.claims',
  ...paths('status.containerStatuses', CONTAINER_STATUS),
  ...paths('status.initContainerStatuses', CONTAINER_STATUS),
  ...paths('status.conditions', 'observedGeneration lastProbeTime message'),
  // Claims of extended resources and of a node's own resources are those of pods with `spec.resourceClaims` or a DeviceClass.
  ...paths(
    'status',
    'observedGeneration message reason hostIP hostIPs podIP podIPs qosClass ephemeralContainerStatuses resize ' +
      'resourceClaimStatuses extendedResourceClaimStatus resources.claims nodeAllocatableResourceClaimStatuses volumeHealth',
  ),
];

const UNREAD_OF_NODE = [
  // podPreemptionPolicy: alpha in 1.37; it limits preemption by a resize in place, not the placing of pods.
  ...paths('spec', 'podCIDR podCIDRs taints.timeAdded configSource externalID podPreemptionPolicy'),
  ...paths('status.conditions', 'lastHeartbeatTime message'),
  // images: a score, not a filter. volumesAttached is read by another request, before a node is terminated.
  ...paths(
    'status',
    'phase addresses daemonEndpoints nodeInfo images volumesInUse volumesAttached config runtimeHandlers features',
  ),
];

// storageCapacity: CSIStorageCapacities are ignored. nodeAllocatableUpdatePeriodSeconds is the kubelet's.
const UNREAD_OF_CSI_DRIVER = paths(
  'spec',
  'attachRequired podInfoOnMount volumeLifecycleModes storageCapacity fsGroupPolicy tokenRequests requiresRepublish ' +
    'seLinuxMount nodeAllocatableUpdatePeriodSeconds serviceAccountTokenInSecrets',
);

const UNREAD_OF_CSI_NODE = ['spec.drivers.topologyKeys', 'status'];

it.each([
  ['core.v1.Pod', POD, UNREAD_OF_POD],
  ['core.v1.Node', NODE, UNREAD_OF_NODE],
  ['storage.k8s.io.v1.CSIDriver', CSI_DRIVER, UNREAD_OF_CSI_DRIVER],
  ['storage.k8s.io.v1.CSINode', CSI_NODE, UNREAD_OF_CSI_NODE],
] satisfies (readonly [string, MessageFields, readonly string[]])[])(
  'every field of %s is judged',
  (file, table, judged) => {
    const whole = JSON.parse(recorded(`${file}.json`).toString('utf8')) as Readonly<Record<string, unknown>>;
    const { kind: _, apiVersion: __, metadata: ___, ...rest } = whole;
    const read = decodeMessage(table, openEnvelope(recorded(`${file}.pb`)).content);
    expect([...new Set(unread(rest, read))].toSorted()).toEqual([...judged].toSorted());
  },
);

describe('a field of a newer Kubernetes', () => {
  const answer = (contentType: string, body: Buffer) => ({ status: 200, headers: {}, contentType, body });

  const unknownFieldOf = (page: { readonly items: readonly unknown[] }): string | undefined =>
    (page.items[0] as Pod).spec.unknownField;

  const inProtobuf = (...spec: readonly FieldValue[]) =>
    unknownFieldOf(
      pageReader(POD_LISTS).page(
        answer(
          PROTOBUF,
          listOf('v1', 'Pod', [message([1, message([1, 'web'], [3, 'default'])], [2, message(...spec)], [3, ''])]),
        ),
      ),
    );

  const inJson = (spec: object) =>
    unknownFieldOf(
      pageReader(POD_LISTS).page(
        answer(
          'application/json',
          Buffer.from(
            JSON.stringify({
              kind: 'PodList',
              metadata: {},
              items: [{ metadata: { name: 'web', namespace: 'default' }, spec }],
            }),
          ),
        ),
      ),
    );

  it.each<[string, Value, string | undefined]>([
    ['a message', message([1, 'a']), 'field 45'],
    ['a text', 'a', 'field 45'],
    ['a number', 7, 'field 45'],
    ['no text', '', undefined],
    ['a zero', 0, undefined],
  ])('that is %s', (_, value, found) => {
    expect(inProtobuf([2, message([1, 'app'])], [45, value])).toBe(found);
  });

  it('is seen at any number, and at numbers that are not used any more', () => {
    expect(inProtobuf([1_000, 'a'])).toBe('field 1000');
    expect(inProtobuf([42, 'a'])).toBe('field 42');
  });

  it('is seen where it is in a toleration or a term of affinity', () => {
    expect(inProtobuf([22, message([1, 'gpu'], [6, 'a'])])).toBe('tolerations.field 6');
    const term = message([3, 'zone'], [7, 'a']);
    expect(inProtobuf([18, message([3, message([1, term])])])).toBe(
      'affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.field 7',
    );
  });

  it('is not sought in a container, which the API server adds defaults to', () => {
    expect(inProtobuf([2, message([1, 'app'], [99, 'a'])])).toBeUndefined();
    expect(inJson({ containers: [{ name: 'app', novelty: 1 }] })).toBeUndefined();
  });

  it('makes pods differ that are equal else', () => {
    const pod = (name: string, ...spec: readonly FieldValue[]): Buffer =>
      message([1, message([1, name], [3, 'default'])], [2, message([25, 7], ...spec)], [3, '']);
    const page = pageReader(POD_LISTS).page(
      answer(PROTOBUF, listOf('v1', 'Pod', [pod('a'), pod('b', [45, 'x']), pod('c')])),
    );
    expect((page.items as readonly Pod[]).map(({ spec }) => spec.unknownField)).toEqual([
      undefined,
      'field 45',
      undefined,
    ]);
  });

  it.each([
    [{ placement: { zone: 'a' } }, 'placement'],
    [{ zone: 'a', area: 'b' }, 'area'],
    [{ tolerations: [{ key: 'gpu', since: 3 }] }, 'tolerations.since'],
    [{ placement: null, zone: '', areas: [], far: false }, undefined],
    [{ hostUsers: false, dnsPolicy: 'Default', runtimeClassName: 'kata' }, undefined],
  ])('in JSON: %j', (spec, found) => {
    expect(inJson(spec)).toBe(found);
  });
});
