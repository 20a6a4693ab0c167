import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import {
  CPU,
  EPHEMERAL_STORAGE,
  MEMORY,
  PODS,
  type Resources,
  roundUpResources,
} from '@outrigger/core/model/values/resources.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { A_QUANTITY, amountOf } from '../../manifest/amounts.ts';
import { type Invalid, explainInvalid, report } from '../../manifest/invalid.ts';

/** Start of the annotations that state what a new node of a scalable resource has. */
export const CAPACITY_PREFIX = 'capacity.cluster-autoscaler.kubernetes.io/';
/**
 * Prefix of the older annotations of OpenShift's Machine API, which its controllers write. They count where the newer
 * annotations are absent.
 */
const OPENSHIFT_PREFIX = 'machine.openshift.io/';

/** The statements of annotations about a new node. */
export interface StatedCapacity {
  /** Without resources whose amount is 0, which says the same as no annotation. */
  readonly resources: Resources;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

/** The resource of `machine.openshift.io/GPU`, which has no type. */
const OPENSHIFT_GPU = 'nvidia.com/gpu';

/** Users write these; longer ones are not read. */
const LONGEST = 16_384;

/**
 * Reads `capacity.cluster-autoscaler.kubernetes.io/…` and, where one is absent or malformed, what
 * `machine.openshift.io/{vCPU,memoryMb,GPU,maxPods}` state instead. Follows Cluster Autoscaler's clusterapi_utils.go and
 * clusterapi_unstructured.go. Annotations for DRA and CSI drivers are checked alone: devices and volume limits of nodes
 * that do not exist are not simulated.
 *
 * @returns the statements of the well-formed annotations, and the malformed annotations, which count as absent.
 */
export function parseCapacity(annotations: Labels): {
  readonly stated: StatedCapacity;
  readonly malformed: readonly Invalid[];
} {
  const malformed: Invalid[] = [];
  const read = <T>(key: string, parse: Parser<T>): T | null => {
    const value = annotations[key]?.trim() ?? '';
    if (value.length > LONGEST) {
      report(malformed, placeOf(key), `at most ${LONGEST} characters`, value);
      return null;
    }
    return value === '' ? null : parse(value, placeOf(key), malformed);
  };
  const own = <T>(name: string, parse: Parser<T>): T | null => read(CAPACITY_PREFIX + name, parse);
  const older = <T>(name: string, parse: Parser<T>): T | null => read(OPENSHIFT_PREFIX + name, parse);

  const dra = own('dra-driver', subdomain);
  own('csi-driver', list(volumeLimit));
  const gpus = { count: own('gpu-count', count), type: own('gpu-type', resourceName), older: older('GPU', count) };
  const amounts: Readonly<Record<string, number | null>> = {
    [CPU]: own('cpu', quantity(CPU)) ?? older('vCPU', quantity(CPU)),
    [MEMORY]: own('memory', quantity(MEMORY)) ?? older('memoryMb', mebibytes),
    [EPHEMERAL_STORAGE]: own('ephemeral-disk', quantity(EPHEMERAL_STORAGE)),
    [PODS]: own('maxPods', count) ?? older('maxPods', count),
    ...gpuAmount(gpus),
  };
  if (dra === null) {
    reportHalfOfPair(annotations, gpus, malformed);
  }
  const stated = Object.entries(amounts).filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0);
  return {
    stated: {
      resources: roundUpResources(Object.fromEntries(stated)),
      labels: Object.fromEntries((own('labels', list(label)) ?? []).map(({ key, value }) => [key, value])),
      taints: own('taints', list(taint)) ?? [],
    },
    malformed,
  };
}

const placeOf = (key: string): string => `annotation ${key}`;

/** The statements about GPUs; `null`: none. */
interface StatedGpus {
  readonly count: number | null;
  readonly type: string | null;
  /** The number in OpenShift's older annotation. */
  readonly older: number | null;
}

function gpuAmount({ count, type, older }: StatedGpus): Readonly<Record<string, number>> {
  const amount = count !== null && type !== null ? count : older;
  return amount === null ? {} : { [type ?? OPENSHIFT_GPU]: amount };
}

/** Neither means anything alone, except that a number of GPUs may be that of a DRA driver. */
function reportHalfOfPair(annotations: Labels, { count, type, older }: StatedGpus, malformed: Invalid[]): void {
  const [ofCount, ofType] = [`${CAPACITY_PREFIX}gpu-count`, `${CAPACITY_PREFIX}gpu-type`];
  if (count !== null && count > 0 && annotations[ofType] === undefined) {
    report(malformed, placeOf(ofCount), `the annotation ${ofType} as well`, annotations[ofCount]);
  }
  if (type !== null && older === null && annotations[ofCount] === undefined) {
    report(malformed, placeOf(ofType), `the annotation ${ofCount} as well`, annotations[ofType]);
  }
}

/** Reads a value that is not empty. `null`: what was reported, or nothing. */
type Parser<T> = (value: string, place: string, malformed: Invalid[]) => T | null;

const matching =
  <T>(expected: string, parse: (value: string) => T | null): Parser<T> =>
  (value, place, malformed) => {
    const parsed = parse(value);
    if (parsed === null) {
      report(malformed, place, expected, value);
    }
    return parsed;
  };

const quantity = (resource: string): Parser<number> =>
  matching(`${A_QUANTITY}, of at least 0`, (value) => amountOf(resource, value));

const integerOf = (value: string): number | null => (/^\+?\d{1,15}$/.test(value) ? Number(value) : null);

const count: Parser<number> = matching('an integer of at least 0', integerOf);

const mebibytes: Parser<number> = matching('an integer of MiB, of at least 0', (value) => {
  const bytes = (integerOf(value) ?? Number.NaN) * 2 ** 20;
  return Number.isSafeInteger(bytes) ? bytes : null;
});

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** `IsQualifiedName` of k8s.io/apimachinery/pkg/util/validation: a name, with a domain before it or without. */
function isQualifiedName(text: string): boolean {
  const [first = '', second, ...more] = text.split('/');
  return more.length === 0 && (second === undefined ? NAME.test(first) : SUBDOMAIN.test(first) && NAME.test(second));
}

interface Label {
  readonly key: string;
  readonly value: string;
}

const isLabelValue = (text: string): boolean => text === '' || NAME.test(text);

const subdomain: Parser<string> = matching('the name of a driver', (value) => (SUBDOMAIN.test(value) ? value : null));

const resourceName: Parser<string> = matching('a resource name such as nvidia.com/gpu', (value) =>
  value.includes('/') && isQualifiedName(value) ? value : null,
);

/** Reads `a,b,c` item by item: those that are malformed are reported, the rest counts. */
const list =
  <T>(item: Parser<T>): Parser<readonly T[]> =>
  (value, place, malformed) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .flatMap((part) => item(part, place, malformed) ?? []);

const label: Parser<Label> = matching('labels as KEY=VALUE, separated by commas', (part) => {
  const at = part.indexOf('=');
  const [key, value] = [part.slice(0, Math.max(at, 0)), part.slice(at + 1)];
  return at > 0 && isQualifiedName(key) && isLabelValue(value) ? { key, value } : null;
});

const TAINT = /^([^=:]+)(?:=([^=:]*))?:(NoSchedule|NoExecute|PreferNoSchedule)$/;

const taint: Parser<Taint> = matching(
  'taints as KEY=VALUE:EFFECT, separated by commas, the effect NoSchedule, NoExecute or PreferNoSchedule',
  (part) => {
    const [, key, value = '', effect] = TAINT.exec(part) ?? [];
    if (key === undefined || effect === undefined || !isQualifiedName(key) || !isLabelValue(value)) {
      return null;
    }
    return { key, value, effect };
  },
);

const volumeLimit: Parser<true> = matching('drivers as NAME=LIMIT, separated by commas', (part) => {
  const [name = '', limit = '', ...more] = part.split('=').map((side) => side.trim());
  return more.length === 0 && SUBDOMAIN.test(name) && integerOf(limit) !== null ? true : null;
});

/** Describes in one sentence which annotations of a resource are malformed and what to do. */
export const describeMalformed = (malformed: readonly Invalid[]): string =>
  `${clip(malformed.map(explainInvalid).join('; '), 1_000)}; an annotation that is malformed counts as absent; correct it`;
