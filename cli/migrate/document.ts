import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { Document, isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { schemaAddress } from '@outrigger/providers/schema/json-schema.ts';
import type { Translation } from './translate.ts';

/** Lists of more characters have a line for each item. */
const SHORT_LIST = 80;

const COMMENTS: Readonly<Record<string, string>> = {
  mode: 'Decides and records, and changes nothing. Before it is `act`, Cluster Autoscaler has to be at 0 replicas.',
  defaults: "Absent options take Cluster Autoscaler's defaults, so that behavior stays. Outrigger's own: outrigger.",
};

/** The configuration file of these clusters. */
export function configurationOf(translations: readonly Translation[]): string {
  const document = new Document(
    { clusters: translations.map(({ cluster }) => cluster) },
    { compat: 'yaml-1.1', aliasDuplicateObjects: false },
  );
  // Editors with the YAML language server read the first line.
  document.commentBefore = ` yaml-language-server: $schema=${schemaAddress('configuration')}\n Written by \`outrigger migrate\`.`;
  for (const [index, { origin }] of translations.entries()) {
    const cluster = document.getIn(['clusters', index], true);
    if (isMap(cluster)) {
      cluster.commentBefore = ` ${origin}`;
      explain(cluster);
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function explain(cluster: YAMLMap): void {
  for (const { key, value } of cluster.items) {
    if (isScalar(key)) {
      key.commentBefore = mapOptional(COMMENTS[String(key.value)], (comment) => ` ${comment}`) ?? null;
    }
    for (const inner of isMap(value) ? value.items : []) {
      if (isSeq(inner.value) && inner.value.toString().length <= SHORT_LIST) {
        inner.value.flow = true;
      }
    }
  }
}
