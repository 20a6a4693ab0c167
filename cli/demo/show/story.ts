import { isRemovalTaint } from '@outrigger/core/model/cluster/removal-taints.ts';
import type { Style } from '../../terminal/text.ts';
import {
  type TimelineEntry,
  handle,
  type Handlers,
  type Recording,
} from '@outrigger/simulation/recording/recording.ts';
import { type Beat, beat, withPauses } from './beats.ts';
import { type Bundles, type BundleContext, createBundles, PENDING_SECONDS } from './bundles.ts';
import { decisionNews } from './decision-words.ts';
import { loadText } from './load-words.ts';
import { type News, news } from './news.ts';
import { createScaleDownNews } from './scale-down-news.ts';
import { createStage } from './stage.ts';
import { createWorkloadNews, type WorkloadNews } from './workload-news.ts';

interface StoryContext extends BundleContext {
  readonly bundles: Bundles;
  readonly launched: Map<string, number>;
  readonly warm: Set<string>;
  readonly say: (at: number, news: News) => void;
}

/** A recording as the lines of its story, in the order of time. */
export function recordingStory(recording: Recording, style: Style): readonly Beat[] {
  const beats: Beat[] = [];
  const say = (at: number, one: News): void => void beats.push(beat(at, one, style));
  const stage = createStage(recording.nodeGroups);
  const instances = { launched: new Map<string, number>(), warm: new Set<string>() };
  const context = { stage, style, ...instances, said: new Set<string>() };
  const telling: StoryContext = { ...context, say, bundles: createBundles(context, say) };
  const onEntry: Handlers<void> = {
    ...bundled(telling),
    ...workloadEntries(telling, createWorkloadNews(recording.timeline)),
    ...decisionEntries(telling, recording),
    ...cloudEntries(telling),
  };

  for (const entry of recording.timeline) {
    // A decision is shown after the pending pods that it is about.
    telling.bundles.flush(entry.kind === 'Decision' ? entry.at + PENDING_SECONDS : entry.at);
    stage.advance(entry);
    handle(onEntry, entry);
  }
  telling.bundles.flush(Number.POSITIVE_INFINITY);
  return withPauses(beats, style);
}

/** Handlers of entries that are shown together with entries of the same kind. */
const bundled = ({ bundles, stage }: StoryContext): Handlers<void> => ({
  PodUnschedulable: (entry) => bundles.add('pending', entry),
  SizeSet: (entry) => bundles.add(entry.to < entry.from ? 'shrink' : 'grow', entry),
  NodeReady: (entry) => bundles.add('ready', entry),
  NodeGone: (entry) => bundles.add('gone', entry),
  NodeTainted: (entry) => bundles.add(isRemovalTaint(entry.taint) ? 'hardTaint' : 'softTaint', entry),
  NodeUntainted: (entry) => {
    // On a node that is leaving, the hard taint has replaced the soft one.
    if (stage.node(entry.node)?.leaving === false) {
      bundles.add('untaint', entry);
    }
  },
});

/** The steps of the load, and what becomes of its workloads. */
function workloadEntries({ bundles, say }: StoryContext, workloads: WorkloadNews): Handlers<void> {
  const onPod = (entry: TimelineEntry): void => {
    const one = workloads.advance(entry);
    if (one !== null) {
      bundles.flush(Number.POSITIVE_INFINITY);
      say(entry.at, one);
    }
  };
  return {
    Load: (entry) => {
      bundles.flush(Number.POSITIVE_INFINITY);
      workloads.load(entry);
      say(entry.at, news('load', 'cyan', loadText(entry)));
    },
    PodCreated: onPod,
    PodRunning: onPod,
    PodFinished: onPod,
    PodDeleted: onPod,
    PodEvicted: onPod,
    EvictionRefused: onPod,
  };
}

/** Handlers of Outrigger's decisions and warnings. */
function decisionEntries({ stage, style, said, say }: StoryContext, recording: Recording): Handlers<void> {
  const scaleDown = createScaleDownNews(recording, stage);
  return {
    ScaleDown: (entry) => {
      for (const one of scaleDown(entry, style)) {
        say(entry.at, one);
      }
    },
    Decision: (entry) => {
      const one = decisionNews(entry, style);
      // A decision without additions is shown once, not after each evaluation.
      if (entry.increases.length > 0 || !said.has(one.text)) {
        say(entry.at, one);
      }
      said.add(one.text);
    },
    Trouble: ({ level, message, at }) => {
      const [tag, paint] = TROUBLE[level];
      say(at, news(tag, paint, message));
    },
  };
}

/** Tag and color of a message of the log, by its level. */
const TROUBLE = { warn: ['warning', 'yellow'], error: ['error', 'red'] } as const;

/** Launches, and the first failure of each node group since its last one. */
function cloudEntries({ launched, warm, say }: StoryContext): Handlers<void> {
  const failing = new Set<string>();
  return {
    InstanceLaunched: ({ instance, group, at }) => {
      launched.set(instance, at);
      failing.delete(group);
    },
    WarmInstanceTaken: ({ instance }) => void warm.add(instance),
    LaunchFailed: ({ group, at, code, message }) => {
      if (!failing.has(group)) {
        failing.add(group);
        say(at, news('cloud', 'red', `${group}: ${code}. ${message}`));
      }
    },
  };
}
