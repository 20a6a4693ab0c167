import { type FieldValue, list, map, message, quantities, time } from '../wire-encoder.ts';

/** A JSON object, as an API server writes it. */
export type Json = { readonly [name: string]: unknown };

type Encode = (number: number, value: never) => readonly FieldValue[];
type Schema = Readonly<Record<string, readonly [number: number, encode: Encode]>>;

/** Integers beyond 2^53 are `JSON.rawJSON`. */
const scalar = (number: number, value: string | number | boolean | { rawJSON: string }): readonly FieldValue[] => [
  [number, typeof value === 'object' ? BigInt(value.rawJSON) : value],
];
const instant = (number: number, value: string): readonly FieldValue[] => [[number, time(value)]];
const texts = (number: number, values: readonly string[]): readonly FieldValue[] =>
  list(number, values, (text) => text);
const one =
  (schema: Schema) =>
  (number: number, value: Json): readonly FieldValue[] => [[number, encode(schema, value)]];
const many =
  (schema: Schema) =>
  (number: number, values: readonly Json[]): readonly FieldValue[] =>
    list(number, values, (value) => encode(schema, value));

/** Go writes fields in the order of their numbers. */
function encode(schema: Schema, value: Json): Buffer {
  return message(
    ...Object.entries(schema)
      .filter(([name]) => name in value)
      .toSorted(([, [a]], [, [b]]) => a - b)
      .flatMap(([name, [number, write]]) => write(number, value[name] as never)),
  );
}

const SELECTOR: Schema = {
  matchLabels: [1, map],
  matchExpressions: [2, many({ key: [1, scalar], operator: [2, scalar], values: [3, texts] })],
};

const RESOURCES: Schema = { limits: [1, quantities], requests: [2, quantities] };

const CONTAINER: Schema = {
  name: [1, scalar],
  image: [2, scalar],
  args: [4, texts],
  ports: [
    6,
    many({
      name: [1, scalar],
      hostPort: [2, scalar],
      containerPort: [3, scalar],
      protocol: [4, scalar],
      hostIP: [5, scalar],
    }),
  ],
  env: [7, many({ name: [1, scalar], value: [2, scalar] })],
  resources: [8, one(RESOURCES)],
  volumeMounts: [9, many({ name: [1, scalar], readOnly: [2, scalar], mountPath: [3, scalar] })],
  restartPolicy: [24, scalar],
};

const NODE_TERM: Schema = {
  matchExpressions: [1, many({ key: [1, scalar], operator: [2, scalar], values: [3, texts] })],
  matchFields: [2, many({ key: [1, scalar], operator: [2, scalar], values: [3, texts] })],
};

const POD_TERM: Schema = {
  labelSelector: [1, one(SELECTOR)],
  namespaces: [2, texts],
  topologyKey: [3, scalar],
  namespaceSelector: [4, one(SELECTOR)],
  matchLabelKeys: [5, texts],
  mismatchLabelKeys: [6, texts],
};
const POD_TERMS: Schema = {
  requiredDuringSchedulingIgnoredDuringExecution: [1, many(POD_TERM)],
  preferredDuringSchedulingIgnoredDuringExecution: [
    2,
    many({ weight: [1, scalar], podAffinityTerm: [2, one(POD_TERM)] }),
  ],
};

const VOLUME_SOURCES: Schema = {
  hostPath: [1, one({ path: [1, scalar] })],
  emptyDir: [2, one({ medium: [1, scalar] })],
  awsElasticBlockStore: [4, one({ volumeID: [1, scalar] })],
  persistentVolumeClaim: [10, one({ claimName: [1, scalar], readOnly: [2, scalar] })],
  configMap: [19, one({})],
  projected: [26, one({ defaultMode: [2, scalar] })],
  csi: [28, one({ driver: [1, scalar] })],
};

const volume = (number: number, values: readonly Json[]): readonly FieldValue[] =>
  list(number, values, ({ name, ...source }) => message([1, name as string], [2, encode(VOLUME_SOURCES, source)]));

const CONTAINER_STATUS: Schema = {
  name: [1, scalar],
  ready: [4, scalar],
  restartCount: [5, scalar],
  containerID: [8, scalar],
  allocatedResources: [10, quantities],
  resources: [11, one(RESOURCES)],
};

const POD: Schema = {
  metadata: [
    1,
    one({
      name: [1, scalar],
      generateName: [2, scalar],
      namespace: [3, scalar],
      uid: [5, scalar],
      resourceVersion: [6, scalar],
      creationTimestamp: [8, instant],
      deletionTimestamp: [9, instant],
      deletionGracePeriodSeconds: [10, scalar],
      labels: [11, map],
      annotations: [12, map],
      ownerReferences: [
        13,
        many({
          kind: [1, scalar],
          name: [3, scalar],
          uid: [4, scalar],
          apiVersion: [5, scalar],
          controller: [6, scalar],
        }),
      ],
      finalizers: [14, texts],
    }),
  ],
  spec: [
    2,
    one({
      volumes: [1, volume],
      containers: [2, many(CONTAINER)],
      restartPolicy: [3, scalar],
      terminationGracePeriodSeconds: [4, scalar],
      nodeSelector: [7, map],
      serviceAccountName: [8, scalar],
      nodeName: [10, scalar],
      hostNetwork: [11, scalar],
      hostname: [16, scalar],
      affinity: [
        18,
        one({
          nodeAffinity: [
            1,
            one({
              requiredDuringSchedulingIgnoredDuringExecution: [1, one({ nodeSelectorTerms: [1, many(NODE_TERM)] })],
              preferredDuringSchedulingIgnoredDuringExecution: [
                2,
                many({ weight: [1, scalar], preference: [2, one(NODE_TERM)] }),
              ],
            }),
          ],
          podAffinity: [2, one(POD_TERMS)],
          podAntiAffinity: [3, one(POD_TERMS)],
        }),
      ],
      schedulerName: [19, scalar],
      initContainers: [20, many(CONTAINER)],
      tolerations: [
        22,
        many({
          key: [1, scalar],
          operator: [2, scalar],
          value: [3, scalar],
          effect: [4, scalar],
          tolerationSeconds: [5, scalar],
        }),
      ],
      priority: [25, scalar],
      overhead: [32, quantities],
      topologySpreadConstraints: [
        33,
        many({
          maxSkew: [1, scalar],
          topologyKey: [2, scalar],
          whenUnsatisfiable: [3, scalar],
          labelSelector: [4, one(SELECTOR)],
          minDomains: [5, scalar],
          matchLabelKeys: [8, texts],
        }),
      ],
      schedulingGates: [38, many({ name: [1, scalar] })],
      resources: [40, one(RESOURCES)],
    }),
  ],
  status: [
    3,
    one({
      phase: [1, scalar],
      conditions: [
        2,
        many({ type: [1, scalar], status: [2, scalar], lastTransitionTime: [4, instant], reason: [5, scalar] }),
      ],
      message: [3, scalar],
      startTime: [7, instant],
      containerStatuses: [8, many(CONTAINER_STATUS)],
      initContainerStatuses: [10, many(CONTAINER_STATUS)],
      nominatedNodeName: [11, scalar],
    }),
  ],
};

/** Encodes a pod's manifest as protobuf. Fields that are not named above are left out. */
export const encodePod = (pod: Json): Buffer => encode(POD, pod);
