import { bool, givenText, inline, int, listField, message, nested, quantityMap, text, textList } from './message.ts';
import { LABEL_SELECTOR, METADATA_FIELD } from './meta.ts';
import { NODE_SELECTOR } from './node-selector.ts';
import { RESOURCE_REQUIREMENTS } from './pod-spec.ts';

// k8s.io/api/core/v1/generated.proto and k8s.io/api/storage/v1/generated.proto

const PERSISTENT_VOLUME_SOURCE = message({
  awsElasticBlockStore: nested(2, message({ volumeID: text(1) })),
  csi: nested(22, message({ driver: text(1), volumeHandle: text(2) })),
});

const OBJECT_REFERENCE = message({ kind: text(1), namespace: text(2), name: text(3), uid: text(4) });

export const PERSISTENT_VOLUME = message({
  metadata: METADATA_FIELD,
  spec: nested(
    2,
    message({
      capacity: quantityMap(1),
      source: inline(2, PERSISTENT_VOLUME_SOURCE),
      accessModes: textList(3),
      claimRef: nested(4, OBJECT_REFERENCE),
      storageClassName: text(6),
      volumeMode: text(8),
      nodeAffinity: nested(9, message({ required: nested(1, NODE_SELECTOR) })),
    }),
  ),
  status: nested(3, message({ phase: text(1) })),
});

export const PERSISTENT_VOLUME_CLAIM = message({
  metadata: METADATA_FIELD,
  spec: nested(
    2,
    message({
      accessModes: textList(1),
      resources: nested(2, RESOURCE_REQUIREMENTS),
      volumeName: text(3),
      selector: nested(4, LABEL_SELECTOR),
      // An empty string means "no class"; absent means "the default class".
      storageClassName: givenText(5),
      volumeMode: text(6),
    }),
  ),
  status: nested(3, message({ phase: text(1) })),
});

const TOPOLOGY_REQUIREMENT = message({ key: text(1), values: textList(2) });

export const STORAGE_CLASS = message({
  metadata: METADATA_FIELD,
  provisioner: text(2),
  volumeBindingMode: text(7),
  allowedTopologies: listField(8, message({ matchLabelExpressions: listField(1, TOPOLOGY_REQUIREMENT) })),
});

const CSI_NODE_DRIVER = message({ name: text(1), nodeID: text(2), allocatable: nested(4, message({ count: int(1) })) });

export const CSI_NODE = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ drivers: listField(1, CSI_NODE_DRIVER) })),
});

export const CSI_DRIVER = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ preventPodSchedulingIfMissing: bool(11) })),
});

export const VOLUME_ATTACHMENT = message({
  metadata: METADATA_FIELD,
  spec: nested(
    2,
    message({ attacher: text(1), source: nested(2, message({ persistentVolumeName: text(1) })), nodeName: text(3) }),
  ),
  status: nested(3, message({ attached: bool(1) })),
});
