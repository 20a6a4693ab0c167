import {
  type CapiCluster,
  type Machine,
  type ScalableResource,
  readClusterObject,
  machineReader,
  scalableReader,
} from '../../../providers/clusterapi/api/objects.ts';
import { CLUSTER_API, type ScalableKind } from '../../../providers/clusterapi/api/resources.ts';
import { type SectionReader, sectionOf } from '../../../providers/manifest/fields.ts';
import { explainInvalid, type Invalid } from '../../../providers/manifest/invalid.ts';

/** An object of the management cluster, as its API server sends it. */
export type Raw = Readonly<Record<string, unknown>>;

export interface RawFields {
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Raw;
  readonly annotations?: Raw;
  readonly createdAt?: string;
  readonly deletedAt?: string;
  /** The controller, as `KIND/NAME`, with the UID that `rawObject` gives an object of this kind and name. */
  readonly owner?: string;
  readonly spec?: Raw;
  readonly status?: Raw;
}

export const rawObject = (kind: string, name: string, of: RawFields = {}): Raw => ({
  apiVersion: of.apiVersion ?? 'cluster.x-k8s.io/v1beta2',
  kind,
  metadata: {
    namespace: of.namespace ?? 'default',
    name,
    uid: of.uid ?? `${kind}/${name}`,
    resourceVersion: '1',
    creationTimestamp: of.createdAt ?? '2026-01-01T00:00:00Z',
    ...(of.deletedAt !== undefined && { deletionTimestamp: of.deletedAt }),
    labels: of.labels ?? {},
    annotations: of.annotations ?? {},
    ownerReferences: of.owner === undefined ? [] : [ownerReference(of.owner, of.apiVersion)],
  },
  spec: { ...of.spec },
  status: { ...of.status },
});

const ownerReference = (owner: string, apiVersion = 'cluster.x-k8s.io/v1beta2'): Raw => {
  const [kind = '', name = ''] = owner.split('/');
  return { apiVersion, kind, name, uid: owner, controller: true };
};

/** The annotations for these bounds. */
export const bounds = (min: string | number, max: string | number, group = 'cluster.x-k8s.io'): Raw => ({
  [`${group}/cluster-api-autoscaler-node-group-min-size`]: String(min),
  [`${group}/cluster-api-autoscaler-node-group-max-size`]: String(max),
});

/** A scalable resource of cluster `c1`, with bounds of 0 and 10 unless there are annotations. */
export const rawScalable = (kind: ScalableKind, name: string, of: RawFields = {}): Raw =>
  rawObject(kind, name, {
    ...of,
    annotations: of.annotations ?? bounds(0, 10),
    spec: { clusterName: 'c1', replicas: 1, ...of.spec },
    status: { selector: `set=${name}`, ...of.status },
  });

/** A Machine of cluster `c1`, which became a Node unless the status says otherwise. */
export const rawMachine = (name: string, of: RawFields = {}): Raw =>
  rawObject('Machine', name, {
    ...of,
    spec: { clusterName: 'c1', providerID: `aws:///us-east-1a/i-${name}`, ...of.spec },
    status: { phase: 'Running', nodeRef: { name }, ...of.status },
  });

/** The same objects, as they are read. */
export const scalable = (kind: ScalableKind, name: string, of: RawFields = {}): ScalableResource =>
  readWell(scalableReader(kind, CLUSTER_API), rawScalable(kind, name, of));
export const machine = (name: string, of: RawFields = {}): Machine =>
  readWell(machineReader(CLUSTER_API), rawMachine(name, of));
export const cluster = (name: string, of: RawFields = {}): CapiCluster =>
  readWell(readClusterObject(CLUSTER_API), rawObject('Cluster', name, of));

function readWell<T>(reader: SectionReader<T>, raw: Raw): T {
  const problems: Invalid[] = [];
  const value = reader(sectionOf(raw, '', problems));
  if (problems.length > 0) {
    throw new Error(problems.map(explainInvalid).join('\n'));
  }
  return value;
}
