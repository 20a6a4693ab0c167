import { type Flag, FLAGS } from '../../config/flags.ts';
import { byName } from '../../core/model/values/names.ts';
import { head, row } from './marked-tables.ts';

/** `docs/flags.md`: every flag of Cluster Autoscaler, and what it is here. */
export const flagsPage = (): string => `<!-- Written by \`npm run docs\` from config/flags.ts. -->

# Flags of Cluster Autoscaler

What each flag of Cluster Autoscaler is to Outrigger. \`npx outrigger migrate FILE…\` reads a Deployment, the values of a Helm
chart or the output of \`kubectl get deploy -o yaml\`. It writes the [configuration](configuration.md), and prints a table of
differences.

${counts()}

Under \`options\`, a flag that has no meaning here is accepted with a warning. One that asks for what Outrigger does not do is
refused, with the reason below; the value that does not ask for it is accepted.

## Options

The same word in camelCase, or as it is; meanings and defaults are in [options.md](options.md).

${table(
  ['Flag', 'Value', 'Option'],
  flags('option').map((flag) => [nameOf(flag), flag.value, counterpartOf(flag)]),
)}

## Settings of the cluster

${table(
  ['Flag', 'Value', 'Setting', 'Meaning'],
  flags('setting').map((flag) => [nameOf(flag), flag.value, counterpartOf(flag), whyOf(flag)]),
)}

## Built in

${table(
  ['Flag', 'Value', 'Always as with', 'Reason'],
  flags('built in').map((flag) => [nameOf(flag), flag.value, counterpartOf(flag), whyOf(flag)]),
)}

## Without meaning

${table(
  ['Flag', 'Value', 'Reason'],
  flags('meaningless').map((flag) => [nameOf(flag), flag.value, whyOf(flag)]),
)}

## Missing

${table(
  ['Flag', 'Value', 'As with', 'Reason'],
  flags('missing').map((flag) => [nameOf(flag), flag.value, counterpartOf(flag), whyOf(flag)]),
)}

¹ Not among the parameters of Cluster Autoscaler's FAQ yet. ² Of older versions.
`;

export const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [...head(...titles), ...rows.map((cells) => row(...cells))].join('\n');

const KINDS = {
  option: 'an option',
  setting: 'a setting of the cluster',
  'built in': 'built in',
  meaningless: 'without meaning',
  missing: 'missing',
} as const satisfies Readonly<Record<Flag['counterpart']['kind'], string>>;

const flags = (kind: keyof typeof KINDS): readonly Flag[] =>
  FLAGS.filter(({ counterpart }) => counterpart.kind === kind).toSorted((a, b) => byName(a.name, b.name));

const counts = (): string =>
  table(
    ['Of the parameters in the FAQ', ''],
    Object.entries(KINDS).map(([kind, words]) => [
      words,
      String(flags(kind as keyof typeof KINDS).filter(({ version }) => version === 'listed').length),
    ]),
  );

const MARKS = { listed: '', newer: ' ¹', removed: ' ²' } as const;
const nameOf = ({ name, version }: Flag): string => `\`${name}\`${MARKS[version]}`;

const whyOf = ({ counterpart }: Flag): string => (counterpart.kind === 'option' ? '' : counterpart.why);

function counterpartOf({ counterpart }: Flag): string {
  switch (counterpart.kind) {
    case 'option':
      return `\`${counterpart.option}\``;
    case 'setting':
      return `\`${counterpart.setting}\``;
    case 'built in':
      return `\`${counterpart.value}\``;
    case 'missing':
      return counterpart.value === null ? '' : counterpart.value === '' ? 'no value' : `\`${counterpart.value}\``;
    case 'meaningless':
      return '';
  }
}
