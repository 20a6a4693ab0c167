import { bool, int, message, nested, text, textMap, timeMap } from './message.ts';
import { LABEL_SELECTOR, METADATA_FIELD, METADATA_WITH_GENERATION } from './meta.ts';
import { POD_SPEC } from './pod-spec.ts';

// k8s.io/api/{apps,batch,core,policy,scheduling}/v1/generated.proto

/** ReplicaSet, Deployment, StatefulSet and ReplicationController number `spec.replicas` alike. */
export const REPLICATED = message({ metadata: METADATA_FIELD, spec: nested(2, message({ replicas: int(1) })) });

export const DAEMON_SET = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ template: nested(2, message({ metadata: METADATA_FIELD, spec: nested(2, POD_SPEC) })) })),
});

export const JOB = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ parallelism: int(1), completions: int(2), suspend: bool(10) })),
  status: nested(3, message({ succeeded: int(5) })),
});

export const POD_DISRUPTION_BUDGET = message({
  metadata: METADATA_WITH_GENERATION,
  spec: nested(2, message({ selector: nested(2, LABEL_SELECTOR), unhealthyPodEvictionPolicy: text(4) })),
  status: nested(
    3,
    message({
      observedGeneration: int(1),
      disruptedPods: timeMap(2),
      disruptionsAllowed: int(3),
      currentHealthy: int(4),
      desiredHealthy: int(5),
      expectedPods: int(6),
    }),
  ),
});

export const NAMESPACE = message({ metadata: METADATA_FIELD });

export const PRIORITY_CLASS = message({ metadata: METADATA_FIELD, value: int(2), globalDefault: bool(3) });

export const CONFIG_MAP = message({ metadata: METADATA_FIELD, data: textMap(2) });
