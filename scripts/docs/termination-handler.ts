import { HANDLER_SETTINGS, type HandlerSetting } from '../../config/termination-handler.ts';
import { table } from './flags.ts';

/** `docs/node-termination-handler.md`: every setting of Node Termination Handler, and what it is here. */
export const handlerPage = (): string => `<!-- Written by \`npm run docs\` from config/termination-handler.ts. -->

# Settings of Node Termination Handler

What each setting of AWS Node Termination Handler is to Outrigger. \`npx outrigger migrate FILE…\` reads its DaemonSet, its
Deployment or the values of its Helm chart, together with those of Cluster Autoscaler or alone. It writes the options into the
[configuration](configuration.md), and prints a table of differences. A setting is an environment variable, a
flag in lower case with dashes, or a value of the chart in camelCase. What is done for a notice is in [interruption-handling.md](interruption-handling.md).

## Options

${table(
  ['Setting', 'Mode', 'Option', 'Remark'],
  settings('option').map((setting) => [nameOf(setting), modeOf(setting), counterpartOf(setting), whyOf(setting)]),
)}

With both settings for recommendations, it is \`replace\`; with \`CORDON_ONLY\`, it is \`cordon\`. The queue mode reads none of
them: it drains on what its rules of EventBridge send. \`spotInterruption\` and \`scheduledChange\` are \`drain\` by default.

## Settings of the cluster

${table(
  ['Setting', 'Mode', 'Setting here', 'Meaning'],
  settings('setting').map((setting) => [nameOf(setting), modeOf(setting), counterpartOf(setting), whyOf(setting)]),
)}

## Built in

${table(
  ['Setting', 'Mode', 'Always as with', 'Reason'],
  settings('built in').map((setting) => [nameOf(setting), modeOf(setting), counterpartOf(setting), whyOf(setting)]),
)}

## Without meaning

${table(
  ['Setting', 'Mode', 'Reason'],
  settings('meaningless').map((setting) => [nameOf(setting), modeOf(setting), whyOf(setting)]),
)}

## Missing

${table(
  ['Setting', 'Mode', 'As with', 'Reason'],
  settings('missing').map((setting) => [nameOf(setting), modeOf(setting), counterpartOf(setting), whyOf(setting)]),
)}
`;

const settings = (kind: HandlerSetting['counterpart']['kind']): readonly HandlerSetting[] =>
  HANDLER_SETTINGS.filter(({ counterpart }) => counterpart.kind === kind);

const nameOf = ({ name, alias }: HandlerSetting): string => `\`${name}\`${alias === null ? '' : `, also \`${alias}\``}`;

const modeOf = ({ mode }: HandlerSetting): string => (mode === 'any' ? 'both' : mode);

const whyOf = ({ counterpart }: HandlerSetting): string => counterpart.why;

function counterpartOf({ counterpart }: HandlerSetting): string {
  switch (counterpart.kind) {
    case 'option':
      return Object.entries(counterpart.values)
        .map(([value, its]) => `\`${value}\`: \`${counterpart.option}: ${its}\``)
        .join('; ');
    case 'setting':
      return `\`${counterpart.setting}\``;
    case 'built in':
    case 'missing':
      return counterpart.value === '' || counterpart.value === null ? 'no value' : `\`${counterpart.value}\``;
    case 'meaningless':
      return '';
  }
}
