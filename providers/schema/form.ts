import * as z from 'zod';
import type { GroupName, InstanceId, NodeName } from '@outrigger/core/model/values/names.ts';
import type { FailureClass } from '@outrigger/core/model/node-group.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { DurationMs, EpochMs } from '@outrigger/core/model/values/time.ts';
import { readerOf } from '../manifest/fields.ts';
import { podReader, writePod } from '../manifest/pod.ts';
import { closed } from './document.ts';
import type { Former } from './former-names.ts';
import { failureClass, group, instance, name, node, uniqueNames } from './names.ts';
import { count } from './quantity.ts';
import { manifested } from './read.ts';
import { duration, time } from './time.ts';

export type Shape = Readonly<Record<string, z.ZodType>>;
export type ShapeOutput<S extends Shape> = { readonly [K in keyof S]: z.output<S[K]> };

/**
 * The form of a state's values: that of documents, or that of the core in the table. The parts of a state are defined
 * once, for both forms.
 */
export interface Form {
  readonly time: z.ZodType<EpochMs>;
  readonly timeOrNull: z.ZodType<EpochMs | null>;
  readonly duration: z.ZodType<DurationMs>;
  readonly count: z.ZodType<number>;
  /** Any finite number. */
  readonly figure: z.ZodType<number>;
  readonly text: z.ZodType<string>;
  readonly group: z.ZodType<GroupName>;
  readonly node: z.ZodType<NodeName>;
  readonly instances: z.ZodType<readonly InstanceId[]>;
  readonly failureClass: z.ZodType<FailureClass>;
  readonly pod: z.ZodType<Pod>;
  readonly list: <T>(item: z.ZodType<T>) => z.ZodType<readonly T[]>;
  readonly object: <S extends Shape>(shape: S, former?: Former) => z.ZodType<ShapeOutput<S>>;
}

/** A Pod, as `kubectl get -o yaml` prints it. */
const pod = manifested(readerOf(podReader()), writePod, { type: 'object', description: 'A Pod, as a manifest.' });

export const IN_DOCUMENTS: Form = {
  time,
  timeOrNull: time.nullable().default(null),
  duration,
  count: count(),
  figure: z.number('a number'),
  text: name,
  group,
  node,
  instances: uniqueNames(instance),
  failureClass,
  pod,
  list: <T>(item: z.ZodType<T>) => z.array(item, 'a list') as z.ZodType<readonly T[]>,
  object: <S extends Shape>(shape: S, former?: Former) => closed(shape, former) as unknown as z.ZodType<ShapeOutput<S>>,
};
