// Stands for undici in the bundle of the command line: undici 8 does not load on Node 20, and the kubeconfig library has
// it for an API client that is never made.

function missing(): never {
  throw new Error('This build has no undici: requests go by node:https.');
}

export { missing as Agent, missing as ProxyAgent, missing as fetch };
