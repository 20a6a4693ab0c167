/** Options with which all happens at once and soon, where the defaults take their time. */
export const SOON = {
  scaleDownUnneededTime: '2s',
  scaleDownDelayAfterAdd: '0s',
  scaleDownDelayAfterDelete: '0s',
  scaleDownDelayAfterFailure: '1s',
  unremovableNodeRecheckTimeout: '1s',
  nodeDeleteDelayAfterTaint: '1s',
};
