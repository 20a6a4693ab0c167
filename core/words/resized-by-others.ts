import type { ResizedByOthers } from '../model/node-group.ts';

/** The change that another client has made to the size of a node group, in words. */
export const resizedByOthersText = ({ from, to }: ResizedByOthers): string =>
  `The size was changed from ${from} to ${to} by others.`;
