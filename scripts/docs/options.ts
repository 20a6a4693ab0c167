import { CLUSTER_OPTIONS, GROUP_OPTIONS, type OptionSpec, defaultOptions } from '../../core/model/options.ts';
import { writeOption } from '../../providers/scenario/options.ts';
import { OTHER_SPELLINGS } from '../../providers/schema/options.ts';
import { head, row } from './marked-tables.ts';

type Table = Readonly<Record<string, OptionSpec>>;

/** `docs/options.md`: every option as the parser knows it. */
export function optionTables(): string {
  return `<!-- Written by \`npm run docs\` from core/model/options.ts. -->

# Options

The words of Cluster Autoscaler's flags in camelCase, or as they are: \`--max-nodes-total\` is \`maxNodesTotal\` or \`max-nodes-total\`. An option that is absent
takes its default. Where Outrigger's default is not Cluster Autoscaler's, both are given, and
\`outrigger simulate --defaults cluster-autoscaler\` takes the latter for all.

* Durations are written as in Go: \`30s\`, \`10m\`, \`1h30m\`.
* A list of one may be written without brackets.
* Ranges are \`min:max\`; memory is in GiB.

## Of the whole cluster

${table(CLUSTER_OPTIONS)}

## Of node groups

These may be given for the whole cluster, and for a node group under \`nodeGroups[].options\`; on AWS by tags
\`k8s.io/cluster-autoscaler/node-template/autoscaling-options/…\` with the name in lower case, where Cluster Autoscaler
reads only the thresholds, \`scaledownunneededtime\`, \`scaledownunreadytime\` and \`ignoredaemonsetsutilization\`.

${table(GROUP_OPTIONS)}

## Other spellings

${otherSpellings()}
`;
}

function table(options: Table): string {
  const rows = Object.entries(options).map(([name, spec]) =>
    row(`\`${name}\``, kindOf(spec), defaultOf(name), spec.help),
  );
  return [...head('Option', 'Value', 'Default', 'Meaning'), ...rows].join('\n');
}

function kindOf(spec: OptionSpec): string {
  switch (spec.kind) {
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
      return spec.min < -1e15 ? 'integer' : `integer, at least ${spec.min}`;
    case 'number':
      return spec.max === Number.MAX_VALUE ? `number, at least ${spec.min}` : `number, ${spec.min} to ${spec.max}`;
    case 'duration':
      return 'duration';
    case 'durationOrAuto':
      return 'duration, or `auto`';
    case 'string':
      return 'string';
    case 'namespace':
      return 'name of a namespace';
    case 'functionArn':
      return 'ARN of a Lambda function';
    case 'objectName':
      return 'name of an object';
    case 'strings':
      return 'list of strings';
    case 'choice':
      return spec.choices.map((choice) => `\`${choice}\``).join(', ');
    case 'choices':
      return `list of ${spec.choices.map((choice) => `\`${choice}\``).join(', ')}`;
    case 'range':
      return '`min:max`';
    case 'gpuRanges':
      return 'list of `type:min:max`';
    case 'drainPriorities':
      return '`priority:seconds,…`';
    case 'prices':
      return 'list of prices';
    case 'disruptionBudgets':
      return 'list of [disruption budgets](budgets.md)';
    case 'capacitySchedules':
      return 'list of [capacity schedules](schedules.md)';
  }
}

function defaultOf(name: string): string {
  const value = (defaults: 'outrigger' | 'cluster-autoscaler'): string =>
    printed(writeOption(name, defaultOptions(defaults)[name as keyof ReturnType<typeof defaultOptions>]));
  const [ours, theirs] = [value('outrigger'), value('cluster-autoscaler')];
  return ours === theirs ? ours : `**${ours}** (Cluster Autoscaler: ${theirs})`;
}

function printed(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map((item) => `\`${String(item)}\``).join(', ');
  }
  return value === '' ? 'none' : `\`${String(value)}\``;
}

/** Only those of options that there are. */
function otherSpellings(): string {
  const all: Table = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };
  const lines = Object.entries(OTHER_SPELLINGS)
    .filter(([, name]) => Object.hasOwn(all, name))
    .map(([spelling, name]) => row(`\`${spelling}\``, `\`${name}\``));
  return [...head('Also taken', 'For'), ...lines].join('\n');
}
