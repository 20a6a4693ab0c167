import { isMap, isSeq, parse, parseDocument, type YAMLSeq } from 'yaml';
import { readConfiguration } from '../../config/read.ts';
import { jsonText } from '../terminal/json-text.ts';
import { err, ok, type Result, errorsOf } from '@outrigger/core/model/values/result.ts';

/**
 * The text of a configuration file with the clusters of another text behind its own. Comments, order and settings of
 * the file stay.
 *
 * @param file its name, for the messages
 * @returns or why nothing can be added: the file is no configuration, or has a cluster of the same name and region
 */
export function addedTo(existing: string, added: string, file: string): Result<string, readonly string[]> {
  const [before, after] = [readConfiguration(existing, file), readConfiguration(added, file)];
  if (!before.ok || !after.ok) {
    return err([
      `${file}: exists and is no valid configuration; nothing was written`,
      ...errorsOf(before),
      ...errorsOf(after),
    ]);
  }
  const present = after.value.clusters.filter(({ name, region }) =>
    before.value.clusters.some((one) => one.name === name && (one.region ?? region) === (region ?? one.region)),
  );
  if (present.length > 0) {
    return err(
      present.map(
        ({ name }) =>
          `${file}: has cluster ${name} already; nothing was written. Remove the cluster from the file, or name another file with -o`,
      ),
    );
  }
  if (existing.trimStart().startsWith('{')) {
    const [content, { clusters }] = [parse(existing) as Clusters, parse(added) as Clusters];
    return ok(jsonText({ ...content, clusters: [...content.clusters, ...clusters] }));
  }
  const document = parseDocument(existing);
  const clusters = clustersOf(document.get('clusters', true));
  const more = clustersOf(parseDocument(added).get('clusters', true));
  const [first] = more.items;
  if (isMap(first)) {
    // The parser takes the comment of the first item for one of the list.
    first.commentBefore = more.commentBefore ?? null;
  }
  clusters.items.push(...more.items);
  clusters.flow = false;
  return ok(document.toString({ lineWidth: 0, flowCollectionPadding: false }));
}

interface Clusters {
  readonly clusters: readonly unknown[];
}

function clustersOf(found: unknown): YAMLSeq {
  if (!isSeq(found)) {
    throw new Error('a configuration that is valid has a list of clusters');
  }
  return found;
}
