import { createServer } from 'node:http';
import { listen } from '../listening.ts';
import { json } from 'node:stream/consumers';

/** How the scheduler's message names a node that passed every filter. */
export const feasible = (node: string): string => `feasible ${node}`;

/**
 * A scheduler extender that turns every node down and says of each that it had passed all filters: the pod stays, its
 * condition says which nodes were feasible, and the cluster is as it was for the next pod.
 */
export async function startExtender(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { NodeNames = [] } = (await json(request)) as { NodeNames?: string[] };
      const failed = Object.fromEntries(NodeNames.map((name) => [name, feasible(name)]));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ NodeNames: [], FailedNodes: failed }));
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
