import { flagsIn } from './arguments.ts';
import {
  clusterApiVariables,
  type Deployment,
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  versionOf,
} from './deployment.ts';

/**
 * Finds Cluster Autoscaler in an object with pods: a Deployment, as a manifest or as `kubectl get` prints it, or a Pod.
 *
 * @returns `null` where no container of the object is Cluster Autoscaler
 */
export function workloadDeployment(object: Fields): Deployment | null {
  const spec = fieldsOf(object['spec']);
  const podSpec = object['kind'] === 'Pod' ? spec : fieldsOf(fieldsOf(spec['template'])['spec']);
  const container = listOf(podSpec['containers']).map(fieldsOf).find(isClusterAutoscaler);
  if (container === undefined) {
    return null;
  }
  const { namespace, name } = fieldsOf(object['metadata']);
  const environment = environmentOf(container);
  return {
    origin: `${textOf(object['kind']) ?? 'object'} ${textOf(namespace) ?? 'default'}/${textOf(name) ?? '?'}`,
    flags: flagsIn(commandOf(container).map((word) => expanded(word, environment))),
    variables: clusterApiVariables(environment),
    name: null,
    region: environment.get('AWS_REGION') ?? environment.get('AWS_DEFAULT_REGION') ?? null,
    version: versionOf(imageOf(container).split('@', 1)[0]!.split(':').at(-1) ?? null),
    notes: [],
  };
}

const imageOf = (container: Fields): string => textOf(container['image']) ?? '';

const commandOf = (container: Fields): readonly string[] =>
  [container['command'], container['args']].flatMap((words) =>
    typeof words === 'string' ? [words] : listOf(words).flatMap((word) => textOf(word) ?? []),
  );

/** By its program, or where the image starts that by itself, by the image. */
const isClusterAutoscaler = (container: Fields): boolean =>
  commandOf(container).some((word) => /(?:^|[\s/])cluster-autoscaler(?:\s|$)/.test(word)) ||
  /(?:^|\/)cluster-autoscaler(?:-[a-z0-9]+)?(?:[:@]|$)/.test(imageOf(container));

const environmentOf = (container: Fields): ReadonlyMap<string, string> =>
  new Map(
    listOf(container['env'])
      .map(fieldsOf)
      .flatMap(({ name, value }): readonly [string, string][] => {
        const [key, text] = [textOf(name), textOf(value)];
        return key === null || text === null ? [] : [[key, text]];
      }),
  );

/** `$(NAME)` in an argument is a variable of the container. */
const expanded = (word: string, environment: ReadonlyMap<string, string>): string =>
  word.replaceAll(/\$\(([\w.-]+)\)/g, (reference, name: string) => environment.get(name) ?? reference);
