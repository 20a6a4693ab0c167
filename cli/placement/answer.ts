import { statusOf } from '@outrigger/core/explanation/status.ts';
import { AWAITING_PODS_TAINT } from '@outrigger/core/model/cluster/node.ts';
import { conventionOf } from '@outrigger/core/model/discovery.ts';
import { mapOptional, textIf } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import { type DurationMs, minutes } from '@outrigger/core/model/values/time.ts';
import { createAwsClients } from '@outrigger/providers/aws/api/clients.ts';
import { discoverGroups } from '@outrigger/providers/aws/groups/discovery.ts';
import { loadClusterRecord } from '@outrigger/providers/cluster-record.ts';
import { pluralOf } from '@outrigger/core/model/values/counted.ts';
import type { StoredFlags } from '../explain/flags.ts';
import type { AnswerResult, ClusterStores, StoredAnswer } from '../explain/stored.ts';
import { listed, page, prose } from '../explain/show/page.ts';
import { configuredCluster } from '../live/configured.ts';
import { regionFor } from '../live/region.ts';
import type { Style } from '../terminal/text.ts';
import { type ChangedGroup, changeGroups } from './change.ts';
import { type Action, type TaintChange, planOf } from './plan.ts';
import { readLaunches } from './read.ts';

export interface PlacementFlags extends StoredFlags {
  readonly group?: readonly string[];
  readonly yes?: true;
}

/** An evaluation that is older does not show that Outrigger takes the taint off. */
const RECENT: DurationMs = minutes(15);

const TAINTED = { true: 'yes', false: 'no', null: '?' } as const;

/**
 * Tells which node groups give their new nodes the taint of planned placement, and changes that.
 *
 * @param action `show` plans as `add` does, and changes nothing.
 */
export async function placementAnswer(
  action: Action | 'show',
  flags: PlacementFlags,
  stored: ClusterStores,
): Promise<AnswerResult> {
  const found = configuredCluster(flags);
  const config = found.ok ? (found.value?.cluster ?? null) : null;
  if (config !== null && config.role !== null) {
    return err([
      `error: The node groups of cluster ${stored.cluster} are in another account than its stack: give them the taint as docs/planned-placement.md says`,
    ]);
  }
  const acts = flags.yes === true && action !== 'show';
  const refusal = acts && action === 'add' ? await whyNot(stored, config !== null) : null;
  if (refusal !== null) {
    return err([`error: Nothing is changed: ${refusal}`]);
  }
  const region = await regionFor(flags.region ?? config?.region ?? null);
  const clients = createAwsClients({ region, ...present({ endpoint: flags.awsEndpoint }) });
  const { autoScaling, ec2, eks, pricing } = clients;
  try {
    const discovery = config?.discovery ?? conventionOf(stored.cluster);
    const all = await discoverGroups(autoScaling, stored.cluster, discovery);
    const wanted = flags.group ?? all.map(({ name }) => name);
    const missing = wanted.filter((name) => !all.some((group) => group.name === name));
    if (missing.length > 0) {
      return err([`error: Cluster ${stored.cluster} has no node group ${missing.join(', ')}`]);
    }
    const does = action === 'show' ? 'add' : action;
    const launches = await readLaunches(
      clients,
      all.filter(({ name }) => wanted.includes(name)),
    );
    const plans = launches.map((launch) => planOf(launch, does));
    const groups = acts ? await changeGroups(clients, does, plans) : plans.map((plan) => ({ ...plan, error: null }));
    return ok(answerOf(action, acts, groups, stored));
  } finally {
    [autoScaling, ec2, eks, pricing].forEach((client) => client.destroy());
  }
}

/** Why the taint would keep pods from new nodes; `null`: Outrigger takes it off. */
async function whyNot(stored: ClusterStores, isConfigured: boolean): Promise<string | null> {
  const { cluster, options, now, signal } = stored;
  const record = await loadClusterRecord(stored, { cluster, options, now }, signal);
  const status = mapOptional(record, statusOf);
  const last = Math.max(status?.scaleUp.decidedAt ?? 0, status?.scaleDown.decidedAt ?? 0);
  if (status === null || now - last > RECENT) {
    return 'nodes with the taint take no pods until Outrigger takes it off, and Outrigger has not evaluated this cluster within 15 minutes';
  }
  if (status.mode === 'observe') {
    return 'nodes with the taint take no pods until Outrigger takes it off, and with mode: observe it changes nothing';
  }
  if (isConfigured && !options.plannedPlacement) {
    return 'the option plannedPlacement is off in the configuration: nodes would be opened without nominations. Set it, and run outrigger install';
  }
  return null;
}

function answerOf(
  action: Action | 'show',
  acts: boolean,
  groups: readonly ChangedGroup[],
  { cluster, now }: ClusterStores,
): StoredAnswer {
  const text = (style: Style): string => {
    const rows = groups.map((group) => [group.group, TAINTED[`${group.tainted}`], doingText(group, acts)]);
    const changes = groups.filter((group) => group.changes.length > 0).length;
    return page([
      listed(`New nodes get the taint ${AWAITING_PODS_TAINT}:NoSchedule`, rows, style),
      prose(groups.length === 0 ? 'The cluster has no node groups.' : closing(action, acts, changes), style),
    ]);
  };
  const explanation = {
    cluster,
    at: now,
    changed: acts,
    groups: groups.map(({ changes, ...group }) => ({ ...group, changes: changes.map(changeText) })),
  };
  return {
    kind: 'PlannedPlacement',
    explanation,
    text,
    failed: groups.some(({ tainted, error }) => tainted === null || error !== null),
  };
}

function doingText({ changes, problem, error }: ChangedGroup, acts: boolean): string {
  if (error !== null) {
    return `failed: ${error}`;
  }
  if (problem !== null) {
    return `left as it is: ${problem}`;
  }
  if (changes.length === 0) {
    return '';
  }
  return `${acts ? 'changed' : 'would change'}: ${changes.map(changeText).join('; ')}`;
}

function changeText(change: TaintChange): string {
  if (change.kind === 'NodeGroup') {
    return `managed node group ${change.of.name}`;
  }
  const { name, version, named } = change.template;
  const users = textIf(named.startsWith('$'), `, for all that launch from ${named}`);
  return `launch template ${name}, a new version from ${version}${users}`;
}

function closing(action: Action | 'show', acts: boolean, changes: number): string {
  if (changes === 0) {
    return 'There is nothing to change.';
  }
  if (acts) {
    return 'Nodes that are launched from now on are changed; those that there are stay. Where the launch templates or node groups are managed as code (Terraform, CloudFormation), write the same there, or the next deployment takes it back.';
  }
  const command = `outrigger planned-placement ${action === 'show' ? 'add' : action} --yes`;
  return `Nothing is changed. To change ${pluralOf('it', changes, 'them')}: ${command}`;
}
