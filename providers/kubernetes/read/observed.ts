import type { ObjectLists } from '@outrigger/core/model/scenario.ts';

/** An object of any of the kinds that are observed. */
export type ObservedObject = ObjectLists[keyof ObjectLists][number];
