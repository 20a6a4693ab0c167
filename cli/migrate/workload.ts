import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { flagsIn, type GivenFlag } from './arguments.ts';
import {
  clusterApiVariables,
  type Deployment,
  fieldsOf,
  listedIn,
  textOf,
  textsIn,
  textsOf,
  versionOfTag,
} from './deployment.ts';

/**
 * Finds Cluster Autoscaler in an object with pods: a Deployment, as a manifest or as `kubectl get` prints it, or a Pod.
 *
 * @returns `null` where no container of the object is Cluster Autoscaler
 */
export function workloadDeployment(object: Fields): Deployment | null {
  const container = containerIn(object, isClusterAutoscaler);
  if (container === null) {
    return null;
  }
  const environment = environmentOf(container);
  return {
    origin: workloadText(object),
    flags: flagsOf(container, environment),
    variables: clusterApiVariables(environment),
    name: null,
    region: valueIn(environment, 'AWS_REGION') ?? valueIn(environment, 'AWS_DEFAULT_REGION') ?? null,
    version: versionOfTag(textBefore(imageOf(container), '@').split(':').at(-1) ?? null),
    notes: [],
  };
}

/** The container of an object with pods that `isMeant` accepts; `null` where there is none. */
export function containerIn(object: Fields, isMeant: (container: Fields) => boolean): Fields | null {
  const spec = fieldsOf(object['spec']);
  const podSpec = object['kind'] === 'Pod' ? spec : fieldsOf(fieldsOf(spec['template'])['spec']);
  return listedIn(podSpec['containers']).map(fieldsOf).find(isMeant) ?? null;
}

/** `Deployment kube-system/cluster-autoscaler`. */
export function workloadText(object: Fields): string {
  const { namespace, name } = fieldsOf(object['metadata']);
  return `${textOf(object['kind']) ?? 'object'} ${textOf(namespace) ?? 'default'}/${textOf(name) ?? '?'}`;
}

/** The flags of the container's command line, with the variables of its environment in them. */
export const flagsOf = (container: Fields, environment: readonly GivenFlag[]): readonly GivenFlag[] =>
  flagsIn(commandOf(container).map((word) => expanded(word, environment)));

export const imageOf = (container: Fields): string => textOf(container['image']) ?? '';

export const commandOf = (container: Fields): readonly string[] =>
  [container['command'], container['args']].flatMap((words) => (typeof words === 'string' ? [words] : textsOf(words)));

/** By its program, or where the image starts that by itself, by the image. */
const isClusterAutoscaler = (container: Fields): boolean =>
  commandOf(container).some((word) => /(?:^|[\s/])cluster-autoscaler(?:\s|$)/.test(word)) ||
  /(?:^|\/)cluster-autoscaler(?:-[a-z0-9]+)?(?:[:@]|$)/.test(imageOf(container));

/** The variables that have a value in the object itself: of several with one name, the last. */
export function environmentOf(container: Fields): readonly GivenFlag[] {
  const given = listedIn(container['env']).map(fieldsOf);
  const variables = textsIn(given.map(({ name, value }) => [textOf(name), value]));
  return [...new Map(variables.map((variable) => [variable.name, variable])).values()];
}

const valueIn = (environment: readonly GivenFlag[], name: string): string | undefined =>
  environment.find((variable) => variable.name === name)?.value;

/** `$(NAME)` in an argument is a variable of the container. */
const expanded = (word: string, environment: readonly GivenFlag[]): string =>
  word.replaceAll(/\$\(([\w.-]+)\)/g, (reference, name: string) => valueIn(environment, name) ?? reference);
