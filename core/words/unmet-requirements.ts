import type { SkipReason } from '../model/decision.ts';
import type { Taint } from '../model/cluster/node.ts';
import type { NodeRequirement } from '../model/cluster/selectors.ts';
import { clip, clippedList } from '../model/values/clip.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS } from '../model/values/resources.ts';
import type { UnmetRequirement } from '../model/unmet-requirement.ts';
import { mapOptional } from '../model/values/optional.ts';

/** A requirement that a new node does not meet, and the change that would meet it; `null` where no change can be named. */
interface UnmetWords {
  readonly detail: string;
  readonly remedy: string | null;
}

type Of<K extends UnmetRequirement['kind']> = Extract<UnmetRequirement, { readonly kind: K }>;

const WORDS: { readonly [K in UnmetRequirement['kind']]: (unmet: Of<K>) => UnmetWords } = {
  Resource: (unmet) => (unmet.resource === PODS ? podsWords(unmet) : resourceWords(unmet)),
  Taint: ({ taint }) => ({
    detail: `does not tolerate the taint ${taintText(taint)}`,
    remedy: `the toleration ${taint.key}`,
  }),
  Label: ({ requirement, value }) => ({
    detail: `wants ${requirementText(requirement)}; a new node has ${value ?? 'no such label'}`,
    remedy: isFixed(requirement.key)
      ? `another node selector or affinity for ${requirement.key}`
      : `${requirementText(requirement)} on its nodes`,
  }),
  Volume: (unmet) => volumeWords(unmet),
  Placement: ({ rule, topologyKeys }) => ({
    detail: `has ${rule} by ${clippedList(topologyKeys)}; a new node does not meet it with the pods that run`,
    remedy: `other rules of ${rule}`,
  }),
  Growth: ({ reason, why }) => ({
    detail: why,
    remedy: LIMITS.get(reason) ?? 'its growth possible again',
  }),
  Other: ({ reason }) => ({ detail: reason, remedy: null }),
};

/** Limits that keep a node group from growing, and the value to raise. */
const LIMITS: ReadonlyMap<SkipReason, string> = new Map([
  ['MaxSizeReached', 'a larger maximum size'],
  ['ResourceLimitExceeded', 'larger resource limits of the cluster'],
  ['MaxCostPerHourReached', 'a larger maxCostPerHour'],
]);

const wordsOf = <K extends UnmetRequirement['kind']>(unmet: Of<K>): UnmetWords =>
  (WORDS[unmet.kind] as (of: Of<K>) => UnmetWords)(unmet);

/** `asks for 48 CPU; a new node has 1.93, 1.78 after DaemonSets`. */
export const unmetText = (unmet: UnmetRequirement): string => clip(wordsOf(unmet).detail);

/** Changes that would meet these requirements: `with the toleration nvidia.com/gpu`. */
export function remedyText(unmet: readonly UnmetRequirement[]): string {
  const words = unmet.map((one) => wordsOf(one));
  const without = words.find(({ remedy }) => remedy === null);
  const remedies = words.map(({ remedy }) => remedy).join(' and ');
  return clip(mapOptional(without, ({ detail }) => `but for: ${detail}`) ?? `with ${remedies}`);
}

/** `dedicated=ml:NoSchedule`, as kubectl writes it. */
const taintText = ({ key, value, effect }: Taint): string => `${key}${value === '' ? '' : `=${value}`}:${effect}`;

function requirementText({ key, operator, values }: NodeRequirement): string {
  const isOne = values.length === 1;
  switch (operator) {
    case 'In':
      return isOne ? `${key}=${values[0]}` : `${key} in ${clippedList(values)}`;
    case 'NotIn':
      return isOne ? `${key} other than ${values[0]}` : `${key} not in ${clippedList(values)}`;
    case 'Exists':
      return `the label ${key}`;
    case 'DoesNotExist':
      return `no label ${key}`;
    case 'Gt':
      return `${key} > ${values.join(', ')}`;
    case 'Lt':
      return `${key} < ${values.join(', ')}`;
    default:
      return `${key} ${operator} ${values.join(', ')}`;
  }
}

function volumeWords({ volume, requirement, value }: Of<'Volume'>): UnmetWords {
  const { key, values } = requirement;
  if (!key.endsWith('/zone')) {
    return {
      detail: `volume ${volume} wants ${requirementText(requirement)}; a new node has ${value ?? 'no such label'}`,
      remedy: `nodes that have ${requirementText(requirement)}`,
    };
  }
  const zones = clippedList(values);
  return {
    detail: `volume ${volume} is in ${zones}; a new node is in ${value ?? 'no zone that is known'}`,
    remedy: `nodes in ${zones}`,
  };
}

/** Labels that follow from the instance of a node: no node group can be given another value of them. */
const isFixed = (key: string): boolean =>
  /(?:^|\.)(?:kubernetes\.io|k8s\.aws|k8s\.io)\//.test(key) || key.startsWith('topology.');

function resourceWords({ resource, asked, has, free }: Of<'Resource'>): UnmetWords {
  const unit = unitOf(resource, asked);
  const asks = `asks for ${amountOf(asked, unit, Math.ceil)}${unit.name}`;
  const more = `nodes with more ${resource}`;
  if (has === null || has === 0) {
    return { detail: `${asks}; a new node has none`, remedy: more };
  }
  const left = amountOf(free, unit, Math.floor);
  const beside = free === has ? '' : `, ${left} after DaemonSets`;
  return {
    detail: `${asks}; a new node has ${amountOf(has, unit, Math.floor)}${beside}`,
    remedy: free > 0 ? `a request of at most ${left}${unit.name}` : more,
  };
}

const podsWords = ({ has }: Of<'Resource'>): UnmetWords => ({
  detail: `a new node takes ${has ?? 0} pods, and its DaemonSets use all of them`,
  remedy: 'nodes that take more pods',
});

interface Unit {
  readonly name: string;
  readonly size: number;
}

const GIBIBYTE = 2 ** 30;
const MEBIBYTE = 2 ** 20;

function unitOf(resource: string, asked: number): Unit {
  if (resource === CPU) {
    return { name: ' CPU', size: 1_000 };
  }
  if (resource === MEMORY || resource === EPHEMERAL_STORAGE) {
    return asked >= GIBIBYTE
      ? { name: ` GiB of ${resource}`, size: GIBIBYTE }
      : { name: ` MiB of ${resource}`, size: MEBIBYTE };
  }
  return { name: ` ${resource}`, size: 1 };
}

/** At most three decimals, rounded so that a difference stays visible: requests up, capacity down. */
const amountOf = (amount: number, { size }: Unit, round: (of: number) => number): string =>
  String(round((amount / size) * 1_000) / 1_000);
