import {
  type Raw,
  bool,
  completeMessage,
  inline,
  int,
  listField,
  message,
  nested,
  quantityMap,
  sparse,
  text,
  textList,
  textMap,
} from './message.ts';
import { MOST_READ } from '../../manifest/most-read.ts';
import { UNREAD_POD_FIELDS } from '../../manifest/pod-spec-fields.ts';

// k8s.io/api/core/v1/generated.proto

const REQUIREMENT = completeMessage({ key: text(1), operator: text(2), values: textList(3, MOST_READ.values) });

const LABEL_SELECTOR = completeMessage({
  matchLabels: textMap(1, MOST_READ.requirements),
  matchExpressions: listField(2, REQUIREMENT, MOST_READ.requirements),
});

const NODE_SELECTOR_TERM = completeMessage({
  matchExpressions: listField(1, REQUIREMENT, MOST_READ.requirements),
  matchFields: listField(2, REQUIREMENT, MOST_READ.requirements),
});

const NODE_SELECTOR = completeMessage({
  nodeSelectorTerms: listField(1, NODE_SELECTOR_TERM, MOST_READ.nodeAffinityTerms),
});

export const RESOURCE_REQUIREMENTS = message({ limits: quantityMap(1), requests: quantityMap(2) });

const POD_RESOURCES = completeMessage({ limits: quantityMap(1), requests: quantityMap(2) }, { claims: 3 });

const PORT = message({ hostPort: int(2), containerPort: int(3), protocol: text(4), hostIP: text(5) });

const CONTAINER = message({
  name: text(1),
  ports: listField(6, PORT),
  resources: nested(8, RESOURCE_REQUIREMENTS),
  restartPolicy: text(24),
  restartPolicyRules: listField(25, message({ action: text(1) })),
});

/** Volumes of other kinds (ConfigMaps, Secrets, projected tokens …) do not affect decisions. */
const VOLUME_SOURCE = message({
  hostPath: nested(1, message({})),
  emptyDir: nested(2, message({ medium: text(1) })),
  gcePersistentDisk: nested(3, message({ pdName: text(1), readOnly: bool(4) })),
  awsElasticBlockStore: nested(4, message({ volumeID: text(1), readOnly: bool(4) })),
  iscsi: nested(8, message({ iqn: text(2), readOnly: bool(6) })),
  persistentVolumeClaim: nested(10, message({ claimName: text(1), readOnly: bool(2) })),
  rbd: nested(11, message({ monitors: textList(1), image: text(2), pool: text(4), readOnly: bool(8) })),
  csi: nested(28, message({ driver: text(1) })),
  ephemeral: nested(29, message({})),
});

const VOLUME = message({ name: text(1), source: sparse(inline(2, VOLUME_SOURCE), VOLUME_SOURCE, true) });

/** Whether a volume has a source that is read. */
function decides(volume: Raw): boolean {
  for (const key in volume) {
    if (key !== 'name') {
      return true;
    }
  }
  return false;
}

const POD_AFFINITY_TERM = completeMessage({
  labelSelector: nested(1, LABEL_SELECTOR),
  namespaces: textList(2, MOST_READ.values),
  topologyKey: text(3),
  namespaceSelector: nested(4, LABEL_SELECTOR),
  matchLabelKeys: textList(5, MOST_READ.requirements),
  mismatchLabelKeys: textList(6, MOST_READ.requirements),
});

const POD_AFFINITY = completeMessage({
  requiredDuringSchedulingIgnoredDuringExecution: listField(1, POD_AFFINITY_TERM, MOST_READ.affinityTerms),
  preferredDuringSchedulingIgnoredDuringExecution: listField(
    2,
    completeMessage({ weight: int(1), podAffinityTerm: nested(2, POD_AFFINITY_TERM) }),
    MOST_READ.affinityTerms,
  ),
});

const NODE_AFFINITY = completeMessage({
  requiredDuringSchedulingIgnoredDuringExecution: nested(1, NODE_SELECTOR),
  preferredDuringSchedulingIgnoredDuringExecution: listField(
    2,
    completeMessage({ weight: int(1), preference: nested(2, NODE_SELECTOR_TERM) }),
    MOST_READ.nodeAffinityTerms,
  ),
});

const TOPOLOGY_SPREAD_CONSTRAINT = completeMessage({
  maxSkew: int(1),
  topologyKey: text(2),
  whenUnsatisfiable: text(3),
  labelSelector: nested(4, LABEL_SELECTOR),
  minDomains: int(5),
  nodeAffinityPolicy: text(6),
  nodeTaintsPolicy: text(7),
  matchLabelKeys: textList(8, MOST_READ.requirements),
});

const TOLERATION = completeMessage({
  key: text(1),
  operator: text(2),
  value: text(3),
  effect: text(4),
  tolerationSeconds: int(5),
});

/** Without `nodeName`, which differs by pod: all other fields are shared by the pods of one controller. */
const FIELDS = {
  volumes: sparse(listField(1, VOLUME, MOST_READ.volumes, decides), VOLUME),
  containers: sparse(listField(2, CONTAINER), CONTAINER),
  terminationGracePeriodSeconds: int(4),
  nodeSelector: textMap(7, MOST_READ.requirements),
  hostNetwork: bool(11),
  affinity: nested(
    18,
    completeMessage({
      nodeAffinity: nested(1, NODE_AFFINITY),
      podAffinity: nested(2, POD_AFFINITY),
      podAntiAffinity: nested(3, POD_AFFINITY),
    }),
  ),
  schedulerName: text(19),
  initContainers: sparse(listField(20, CONTAINER), CONTAINER),
  tolerations: listField(22, TOLERATION, MOST_READ.tolerations),
  priority: int(25),
  preemptionPolicy: text(31),
  overhead: quantityMap(32),
  topologySpreadConstraints: listField(33, TOPOLOGY_SPREAD_CONSTRAINT, MOST_READ.spreadConstraints),
  schedulingGates: listField(38, message({ name: text(1) })),
  resourceClaims: listField(39, message({ name: text(1) })),
  hostUsers: bool(37),
  resources: nested(40, POD_RESOURCES),
  schedulingGroup: nested(43, completeMessage({ podGroupName: text(1) })),
};

export const POD_SPEC = completeMessage(FIELDS, { ...UNREAD_POD_FIELDS, nodeName: 10 });

export const POD_SPEC_WITH_NODE = completeMessage({ ...FIELDS, nodeName: text(10) }, UNREAD_POD_FIELDS);
