import { parse } from 'yaml';
import { type Deployment, fieldsOf, listOf, textOf } from './deployment.ts';
import { helmDeployments } from './helm-values.ts';
import { workloadDeployment } from './workload.ts';

/** Lists of lists: no program prints more of them. */
const DEEPEST_LIST = 10;

/**
 * Finds the deployments of Cluster Autoscaler in a document: an object of Kubernetes or a list of them, the values of a Helm
 * chart, or an object of Flux or Argo CD that holds such values. What else the document holds is passed over.
 *
 * @param origin the document's file
 * @param depth the number of lists that the document is in
 */
export function deploymentsIn(raw: unknown, origin: string, depth = 0): readonly Deployment[] {
  if (depth > DEEPEST_LIST) {
    return [];
  }
  const document = fieldsOf(raw);
  const kind = textOf(document['kind']);
  if (Array.isArray(raw) || (kind?.endsWith('List') === true && Array.isArray(document['items']))) {
    return listOf(document['items'] ?? raw).flatMap((item) => deploymentsIn(item, origin, depth + 1));
  }
  if (kind === null) {
    return helmDeployments(document, origin, null);
  }
  const spec = fieldsOf(document['spec']);
  if (kind === 'HelmRelease') {
    const namespace = textOf(spec['targetNamespace']) ?? textOf(fieldsOf(document['metadata'])['namespace']);
    return helmDeployments(fieldsOf(spec['values']), `${origin}: HelmRelease`, namespace);
  }
  if (kind === 'Application') {
    const namespace = textOf(fieldsOf(spec['destination'])['namespace']);
    const sources = [spec['source'], ...listOf(spec['sources'])].map((source) => fieldsOf(fieldsOf(source)['helm']));
    return sources.flatMap(({ valuesObject, values }) => [
      ...helmDeployments(fieldsOf(valuesObject), `${origin}: Application`, namespace),
      ...helmDeployments(fieldsOf(inYaml(values)), `${origin}: Application`, namespace),
    ]);
  }
  const found = workloadDeployment(document);
  return found === null ? [] : [{ ...found, origin: `${origin}: ${found.origin}` }];
}

function inYaml(text: unknown): unknown {
  try {
    return typeof text === 'string' ? (parse(text, { maxAliasCount: 100 }) as unknown) : null;
  } catch {
    return null;
  }
}
