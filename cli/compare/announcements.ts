import { parse } from 'yaml';
import * as z from 'zod';
import { nodeName, type NodeName, podKey, type PodKey } from '@outrigger/core/model/values/names.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, parseTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import type { Announcements } from './comparison.ts';

/** Autoscalers by the component that their events name. */
const AUTOSCALERS: Readonly<Record<string, string>> = {
  'cluster-autoscaler': 'Cluster Autoscaler',
  karpenter: 'Karpenter',
};

/**
 * Reasons of events: of a pod that is given a node, and of a node whose removal begins. Karpenter writes `Nominated` for at most five pods
 * a second, and `DisruptionTerminating` with the deletion of the NodeClaim, when replacements are ready.
 */
const POD_REASONS: ReadonlySet<string> = new Set(['TriggeredScaleUp', 'Nominated']);
const NODE_REASONS: ReadonlySet<string> = new Set(['ScaleDown', 'DisruptionTerminating']);
/** Karpenter's reason for a node that the cloud takes back. */
const INTERRUPTED = 'TerminatingOnInterruption';
const STATUS = 'cluster-autoscaler-status';

const name = z.string().max(253);
const event = z.object({
  kind: z.literal('Event'),
  reason: z.string().nullish(),
  involvedObject: z.object({ kind: z.string(), namespace: name.nullish(), name: name.nullish() }),
  source: z.object({ component: z.string().nullish() }).nullish(),
  reportingComponent: z.string().nullish(),
  firstTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  metadata: z.object({ creationTimestamp: z.string().nullish() }).nullish(),
});
const status = z.object({
  kind: z.literal('ConfigMap'),
  metadata: z.object({ name: z.literal(STATUS) }),
  data: z.object({ status: z.string() }),
});
const condition = z.object({ status: z.string() });
const report = z.object({
  time: z.string(),
  autoscalerStatus: z.string(),
  clusterWide: z.object({ health: condition, scaleUp: condition, scaleDown: condition }).optional(),
});

/**
 * Reads the events and the status ConfigMap of the acting autoscaler.
 *
 * @param text one or more JSON documents as `kubectl get -o json` prints them, also with `--watch`; objects of other kinds, and
 * events of Outrigger, are left out
 * @returns the problem, in words, where the text is not that
 */
export function readAnnouncements(text: string): Result<Announcements, string> {
  const pods = new Map<PodKey, readonly EpochMs[]>();
  const nodes = new Map<NodeName, EpochMs>();
  const interrupted = new Set<NodeName>();
  let by: string | null = null;
  let reported: string | null = null;
  for (const [index, document] of documentsIn(text).entries()) {
    let objects: readonly unknown[];
    try {
      objects = objectsIn(JSON.parse(document));
    } catch {
      return err(`document ${index + 1}: expected JSON, as kubectl get events,configmaps -A -o json prints it`);
    }
    for (const object of objects) {
      const ofStatus = status.safeParse(object);
      if (ofStatus.success) {
        reported = statusText(ofStatus.data.data.status);
      }
      const ofEvent = event.safeParse(object);
      if (ofEvent.success) {
        by = take(ofEvent.data, { pods, nodes, interrupted }) ?? by;
      }
    }
  }
  return ok({
    by: by ?? mapOptional(reported, () => 'Cluster Autoscaler'),
    status: reported,
    pods,
    nodes,
    interrupted,
  });
}

/** kubectl prints one document after the other, each of which begins a line. */
const documentsIn = (text: string): readonly string[] =>
  text.split(/\n(?=\{)/).filter((document) => document.trim() !== '');

function objectsIn(document: unknown): readonly unknown[] {
  const list = z.object({ items: z.array(z.unknown()) }).safeParse(document);
  if (list.success) {
    return list.data.items;
  }
  const watched = z.object({ type: z.string(), object: z.unknown() }).safeParse(document);
  return [watched.success ? watched.data.object : document];
}

interface TakenEvents {
  readonly pods: Map<PodKey, readonly EpochMs[]>;
  readonly nodes: Map<NodeName, EpochMs>;
  readonly interrupted: Set<NodeName>;
}

/** Takes an event of another autoscaler, and returns its name. */
function take(
  { reason, involvedObject: { kind, namespace, name: of }, ...given }: z.infer<typeof event>,
  { pods, nodes, interrupted }: TakenEvents,
): string | null {
  const by = AUTOSCALERS[given.source?.component ?? given.reportingComponent ?? ''];
  const time = parseTime(given.firstTimestamp ?? given.eventTime ?? given.metadata?.creationTimestamp ?? '');
  if (by === undefined || !time.ok || reason == null || of == null) {
    return null;
  }
  if (kind === 'Pod' && POD_REASONS.has(reason)) {
    const pod = podKey(namespace ?? 'default', of);
    pods.set(
      pod,
      [...(pods.get(pod) ?? []), time.value].toSorted((a, b) => a - b),
    );
  }
  if (kind === 'Node' && NODE_REASONS.has(reason)) {
    const node = nodeName(of);
    nodes.set(node, Math.min(time.value, nodes.get(node) ?? Infinity) as EpochMs);
  }
  if (kind === 'Node' && reason === INTERRUPTED) {
    interrupted.add(nodeName(of));
  }
  return by;
}

/** The status of Cluster Autoscaler in a line; `null` where the text has another form. */
function statusText(text: string): string | null {
  let written: unknown;
  try {
    written = parse(text);
  } catch {
    return null;
  }
  const read = report.safeParse(written);
  if (!read.success) {
    return null;
  }
  const { time, autoscalerStatus, clusterWide: cluster } = read.data;
  const parts = presentItems([cluster]).flatMap(({ health, scaleUp, scaleDown }) => [
    health.status,
    `scale-up ${scaleUp.status}`,
    `scale-down ${scaleDown.status}`,
  ]);
  return `${[autoscalerStatus, ...parts].join(', ')} (${time})`;
}
