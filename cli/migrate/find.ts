import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { parse } from 'yaml';
import { type Deployment, fieldsOf, listedIn, textOf } from './deployment.ts';
import { helmDeployments } from './helm-values.ts';
import { helmHandlers, type TerminationHandler, workloadHandler } from './termination-handler.ts';
import { workloadDeployment } from './workload.ts';

/** Lists of lists: no program prints more of them. */
const DEEPEST_LIST = 10;

/** How a program is known, and what is read of it. */
interface Program<T> {
  /** The programs in the values of a Helm chart. */
  readonly inValues: (values: Fields, origin: string, namespace: string | null) => readonly T[];
  /** The program of an object of Kubernetes; `null` where the object does not run the program. */
  readonly inObject: (object: Fields) => T | null;
}

/** Finds the deployments of Cluster Autoscaler in a document. What else the document holds is passed over. */
export const deploymentsIn = (raw: unknown, origin: string): readonly Deployment[] =>
  programsIn({ inValues: helmDeployments, inObject: workloadDeployment }, raw, origin);

/** Finds Node Termination Handler in a document. What else the document holds is passed over. */
export const handlersIn = (raw: unknown, origin: string): readonly TerminationHandler[] =>
  programsIn({ inValues: helmHandlers, inObject: workloadHandler }, raw, origin);

/**
 * Finds a program in a document: an object of Kubernetes or a list of them, the values of a Helm chart, or an object of Flux
 * or Argo CD that holds such values.
 *
 * @param origin the document's file
 * @param depth the number of lists that the document is in
 */
function programsIn<T extends { readonly origin: string }>(
  program: Program<T>,
  raw: unknown,
  origin: string,
  depth = 0,
): readonly T[] {
  if (depth > DEEPEST_LIST) {
    return [];
  }
  const document = fieldsOf(raw);
  const kind = textOf(document['kind']);
  if (Array.isArray(raw) || (kind?.endsWith('List') === true && Array.isArray(document['items']))) {
    return listedIn(document['items'] ?? raw).flatMap((item) => programsIn(program, item, origin, depth + 1));
  }
  if (kind === null) {
    return program.inValues(document, origin, null);
  }
  const spec = fieldsOf(document['spec']);
  if (kind === 'HelmRelease') {
    const namespace = textOf(spec['targetNamespace']) ?? textOf(fieldsOf(document['metadata'])['namespace']);
    return program.inValues(fieldsOf(spec['values']), `${origin}: HelmRelease`, namespace);
  }
  if (kind === 'Application') {
    const namespace = textOf(fieldsOf(spec['destination'])['namespace']);
    const sources = [spec['source'], ...listedIn(spec['sources'])].map((source) => fieldsOf(fieldsOf(source)['helm']));
    return sources.flatMap(({ valuesObject, values }) => [
      ...program.inValues(fieldsOf(valuesObject), `${origin}: Application`, namespace),
      ...program.inValues(fieldsOf(inYaml(values)), `${origin}: Application`, namespace),
    ]);
  }
  const found = program.inObject(document);
  if (found === null) {
    return [];
  }
  return [{ ...found, origin: `${origin}: ${found.origin}` }];
}

function inYaml(text: unknown): unknown {
  try {
    return typeof text === 'string' ? (parse(text, { maxAliasCount: 100 }) as unknown) : null;
  } catch {
    return null;
  }
}
