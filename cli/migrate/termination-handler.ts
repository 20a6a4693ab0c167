import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { handlerSettingOf } from '../../config/termination-handler.ts';
import type { GivenFlag } from './arguments.ts';
import { chartsIn } from './charts.ts';
import { fieldsOf, listedIn, textOf, textsIn } from './deployment.ts';
import { commandOf, containerIn, environmentOf, flagsOf, imageOf, workloadText } from './workload.ts';

/** A Node Termination Handler, as far as it says what it does. */
export interface TerminationHandler {
  /** The object with the settings, for messages: `DaemonSet kube-system/aws-node-termination-handler`. */
  readonly origin: string;
  /** By environment variable; what the command line says wins, and is last. */
  readonly settings: readonly GivenFlag[];
}

/** The value of a variable that is in another object. */
export const ELSEWHERE = '(in another object)';

/** Values by which those of the handler's chart are known. */
const SIGNS = [
  'enableSpotInterruptionDraining',
  'enableScheduledEventDraining',
  'enableRebalanceMonitoring',
  'enableRebalanceDraining',
  'enableASGLifecycleDraining',
  'enableSqsTerminationDraining',
];

/** How the values of its chart are known. */
export const HANDLER_CHART = {
  name: /node.?termination.?handler/i,
  isMeant: (values: Fields): boolean => SIGNS.some((sign) => Object.hasOwn(values, sign)),
};

/**
 * Finds Node Termination Handler in an object with pods: its DaemonSet, or the Deployment of its queue mode.
 *
 * @returns `null` where no container of the object is Node Termination Handler
 */
export function workloadHandler(object: Fields): TerminationHandler | null {
  const container = containerIn(object, isTerminationHandler);
  if (container === null) {
    return null;
  }
  const environment = environmentOf(container);
  return {
    origin: workloadText(object),
    settings: [
      ...environment,
      ...variablesElsewhere(container),
      ...flagsOf(container, environment).map(({ name, value }) => ({ name: variableOf(name), value })),
    ],
  };
}

const isTerminationHandler = (container: Fields): boolean =>
  [...commandOf(container), imageOf(container)].some((word) =>
    /(?:^|[\s/])(?:aws-)?node-termination-handler(?:[\s:@]|$)/.test(word),
  );

/** Variables of Secrets and ConfigMaps; those that are fields of the pod say nothing. */
const variablesElsewhere = (container: Fields): readonly GivenFlag[] =>
  listedIn(container['env'])
    .map(fieldsOf)
    .filter(({ valueFrom }) =>
      ['secretKeyRef', 'configMapKeyRef'].some((key) => Object.hasOwn(fieldsOf(valueFrom), key)),
    )
    .flatMap(({ name }) => textOf(name) ?? [])
    .map((name) => ({ name, value: ELSEWHERE }));

/** Finds the values of Node Termination Handler's Helm chart. */
export const helmHandlers = (values: Fields, origin: string): readonly TerminationHandler[] =>
  chartsIn(HANDLER_CHART, values, origin).map((found) => ({
    origin: found.origin,
    settings: settingsOf(found.values),
  }));

/** Values that the chart writes into the environment; most of its others are about the pods. */
const settingsOf = (values: Fields): readonly GivenFlag[] => [
  ...textsIn(Object.entries(values))
    .map(({ name, value }) => ({ name: variableOf(name), value }))
    .filter(({ name }) => handlerSettingOf(name) !== null),
  ...Object.entries(VALUES_ELSEWHERE)
    .filter(([key]) => textOf(values[key]) !== null)
    .map(([, name]) => ({ name, value: ELSEWHERE })),
  ...environmentOf({ env: values['extraEnv'] }),
];

/** Values of the chart that name another object, and the variables in it. */
const VALUES_ELSEWHERE = {
  webhookURLSecretName: 'WEBHOOK_URL',
  webhookTemplateConfigMapName: 'WEBHOOK_TEMPLATE_FILE',
} as const;

/** `enableASGLifecycleDraining` and `enable-asg-lifecycle-draining` are the variable `ENABLE_ASG_LIFECYCLE_DRAINING`. */
const variableOf = (name: string): string =>
  name
    .replaceAll('-', '_')
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_match, end?: string, start?: string, last?: string) =>
      last === undefined ? `${end}_${start}` : `${last}_`,
    )
    .toUpperCase();
