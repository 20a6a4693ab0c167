import type { Decision, PodOutcome, PodReason, PodRejection, ScaleUpDecision } from '../model/decision.ts';
import type { ClusterEvent } from '../model/cluster/cluster-event.ts';
import type { Scenario } from '../model/scenario.ts';
import { clip } from '../model/values/clip.ts';
import { addCount } from '../model/values/counts.ts';
import type { Pod } from '../model/cluster/pod.ts';
import { unboundPods } from '../model/cluster/unbound-pods.ts';
import { sortedWith } from '../model/values/sorted.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { getOptional } from '../model/values/optional.ts';
import { byName, type GroupName, type PodKey, podKeys } from '../model/values/names.ts';
import { type EpochMs, minutes } from '../model/values/time.ts';
import { disruptionEvents } from './disruption-events.ts';
import { EVENT_MESSAGES, growthOf } from './event-messages.ts';
import { rejectionLinesByPod } from './pod-reasons.ts';
import { statusEvents } from './status-events.ts';
import { whyGroupCannotHelp, whyGroupCannotHelpNow } from './why-group-skipped.ts';

/**
 * The events that tell of a decision, with Cluster Autoscaler's reasons: on each pod that it adds a node for, or that no
 * node group can help, on nodes that are to be replaced, and on the status. One pod of each message comes first, so that a bounded number of events says as much
 * as it can. They may be gone through once.
 *
 * @param version of the state that the decision is stored with: the sizes of the same groups may be decided on again later.
 */
export function decisionEvents(scenario: Scenario, decision: Decision, version: number): Iterable<ClusterEvent> {
  const { scaleUp } = decision;
  const saysOf = createSayings(scenario, scaleUp);
  const said = new Map<PodKey, PodEventContent>();
  for (const outcome of scaleUp.pods) {
    const saying = saysOf(outcome);
    if (saying !== null) {
      said.set(outcome.pod, saying);
    }
  }
  const first = [...statusEvents(scenario, decision, version), ...disruptionEvents(scenario, decision)];
  if (said.size === 0) {
    return first;
  }
  return eventsOf(first, said, scenario);
}

/** Made one after another as they are asked for: the recorder takes a hundred of thousands. */
function* eventsOf(
  first: readonly ClusterEvent[],
  said: ReadonlyMap<PodKey, PodEventContent>,
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
): Generator<ClusterEvent> {
  yield* first;
  const keyOf = podKeys();
  const firsts = new Set<PodEventContent>();
  const others: (readonly [Pod, PodEventContent])[] = [];
  for (const pod of unboundPods(objects.pods)) {
    const saying = said.get(keyOf(pod.namespace, pod.name));
    if (saying === undefined) {
      continue;
    }
    if (firsts.has(saying)) {
      others.push([pod, saying]);
    } else {
      firsts.add(saying);
      yield eventOf(pod, saying, now);
    }
    if (firsts.size + others.length === said.size) {
      break;
    }
  }
  for (const [pod, saying] of others) {
    yield eventOf(pod, saying, now);
  }
}

/**
 * Several decisions of one burst raise the group of a pod: the pod has one event of the group for each five minutes of its age,
 * so that another attempt after a failed launch shows.
 */
const ONE_ATTEMPT = minutes(5);

function eventOf({ namespace, name, uid, createdAt }: Pod, saying: PodEventContent, now: EpochMs): ClusterEvent {
  const attempt = Math.floor((now - (createdAt ?? now)) / ONE_ATTEMPT);
  return {
    about: { kind: 'Pod', namespace, name, uid },
    type: 'Normal',
    ...saying,
    occurrence: saying.reason === 'TriggeredScaleUp' ? `${saying.occurrence} ${attempt}` : saying.occurrence,
  };
}

/** An event's content for several pods. */
type PodEventContent = Required<Pick<ClusterEvent, 'reason' | 'message' | 'occurrence'>>;

/**
 * The event's content for a pod; `null` for no event. Pods of one kind have the same list of reasons: it is read once.
 */
function createSayings(
  scenario: Pick<Scenario, 'nodeGroups'>,
  scaleUp: ScaleUpDecision,
): (outcome: PodOutcome) => PodEventContent | null {
  const growing = growthOf(scenario, scaleUp);
  const triggered = new Map<GroupName | undefined, PodEventContent>();
  const notTriggered = new Map<readonly PodReason[], PodEventContent>();
  const why = createReasons(scaleUp);
  const details = rejectionLinesByPod(lastingRejections(scaleUp));
  const nothingGrows = scaleUp.increases.length === 0 && scaleUp.result !== 'Cooldown';
  return ({ pod, outcome, group, reasons = [] }) => {
    if (outcome === 'Triggered') {
      return getOrMake(triggered, group, () => {
        // The nodes of one group may all have gone to similar ones.
        const own = growing.filter((one) => one.group === group);
        return {
          reason: 'TriggeredScaleUp',
          message: EVENT_MESSAGES.triggered(own.length > 0 ? own : growing),
          occurrence: group ?? '',
        };
      });
    }
    const isRefused = outcome === 'Unschedulable' || (outcome === 'Awaiting' && nothingGrows);
    if (!isRefused || reasons.length === 0) {
      return null;
    }
    return getOrMake(notTriggered, reasons, () => {
      const message = EVENT_MESSAGES.notTriggered(why(reasons), details.get(pod) ?? []);
      return { reason: 'NotTriggerScaleUp', message, occurrence: message };
    });
  };
}

/** The details without times: an event reads the same while a node group backs off. */
function lastingRejections({ rejections = [], skippedGroups }: ScaleUpDecision): readonly PodRejection[] {
  const lasting = new Map(skippedGroups.map((one) => [clip(whyGroupCannotHelp(one)), whyGroupCannotHelpNow(one)]));
  return rejections.map((one) => ({
    ...one,
    groups: one.groups.map(({ groups, unmet }) => ({ groups, unmet: unmet.map((text) => lasting.get(text) ?? text) })),
  }));
}

/**
 * A sentence per reason, with the number of node groups that it keeps out: `2 Insufficient cpu, 1 no node template`.
 */
function createReasons({ skippedGroups }: ScaleUpDecision): (reasons: readonly PodReason[]) => string {
  const skipped = new Map(
    skippedGroups.map((one) => [one.group, { said: whyGroupCannotHelp(one), lasting: whyGroupCannotHelpNow(one) }]),
  );
  const lasting = ({ group, reason }: PodReason): string => {
    const skip = getOptional(skipped, group);
    return skip?.said === reason ? skip.lasting : reason;
  };
  return (reasons) => {
    const own: string[] = [];
    const counts = new Map<string, number>();
    for (const reason of reasons) {
      if (reason.group === undefined) {
        own.push(reason.reason);
      } else {
        addCount(counts, lasting(reason));
      }
    }
    const most = sortedWith([...counts], ([a, n], [b, m]) => m - n || byName(a, b));
    return [...own, ...most.map(([text, count]) => `${count} ${text}`)].join(', ');
  };
}
