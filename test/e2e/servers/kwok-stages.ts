import { readFile, writeFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';

/** How long a pod takes from its place to being ready, such as `500ms`: an annotation. Without it, it is ready at once. */
export const READY_DELAY = 'pod-ready.stage.kwok.x-k8s.io/delay';
/**
 * How long a pod takes to end once it is told to, such as `2s`: an annotation. It takes up to its grace period then, and
 * never longer. Without the annotation it ends at once.
 */
export const END_DELAY = 'pod-delete.stage.kwok.x-k8s.io/delay';

interface Stage {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchExpressions: readonly object[] };
    readonly [field: string]: unknown;
  };
}

/** Writes kwok's stages with the delays of kubelets, for the pods that ask for them. */
export async function writeStages(from: string, to: string): Promise<void> {
  const stages = parseAllDocuments(await readFile(from, 'utf8')).flatMap((document) =>
    withDelays(document.toJS() as Stage),
  );
  await writeFile(to, stages.map((stage) => JSON.stringify(stage)).join('\n---\n'));
}

function withDelays(stage: Stage): readonly Stage[] {
  switch (stage.metadata.name) {
    case 'pod-ready':
      return [{ ...stage, spec: { ...stage.spec, delay: { durationFrom: annotation(READY_DELAY) } } }];
    case 'pod-delete':
      return [
        where(stage, 'pod-delete', 'DoesNotExist', {}),
        where(stage, 'pod-delete-slowly', 'Exists', {
          durationFrom: annotation(END_DELAY),
          // The earlier of the two moments, where that is the end of the grace period; else a moment between them.
          jitterDurationFrom: { expressionFrom: '.metadata.deletionTimestamp' },
        }),
      ];
    default:
      return [stage];
  }
}

const where = ({ metadata, spec, ...rest }: Stage, name: string, operator: string, delay: object): Stage => ({
  ...rest,
  metadata: { ...metadata, name },
  spec: {
    ...spec,
    delay,
    selector: { matchExpressions: [...spec.selector.matchExpressions, { key: pathOf(END_DELAY), operator }] },
  },
});

const pathOf = (name: string): string => `.metadata.annotations["${name}"]`;
const annotation = (name: string) => ({ expressionFrom: pathOf(name) });
