import type http from 'node:http';
import { type Transport, createTransport } from '../../../providers/kubernetes/client/transport.ts';
import { type Seen, apiServer, json, refuse } from '../kubernetes/api-server.ts';
import type { Raw } from './builders.ts';

export interface ManagementCluster extends AsyncDisposable {
  readonly transport: Transport;
  /** The objects of the cluster; a test may change them. */
  readonly objects: Raw[];
  /** The version that is served, which a test may change. */
  version: string;
  /** `METHOD PATH` of each request, with the parameters of lists but for the limit. */
  readonly calls: () => readonly string[];
}

interface Served {
  readonly group: string;
  /** Resource names by kind. */
  readonly kinds: Readonly<Record<string, string>>;
}

export const CLUSTER_API_KINDS = {
  MachineDeployment: 'machinedeployments',
  MachineSet: 'machinesets',
  MachinePool: 'machinepools',
  Machine: 'machines',
  Cluster: 'clusters',
} as const;

/** An API server with these objects, over HTTPS. It selects by namespace and `key=value` labels, and has pages. */
export async function managementCluster(
  objects: readonly Raw[],
  { group, kinds }: Served = { group: 'cluster.x-k8s.io', kinds: CLUSTER_API_KINDS },
): Promise<ManagementCluster> {
  const stored = [...objects];
  let version = 'v1beta2';
  const server = await apiServer((seen, response) => {
    const [, , asked, inVersion, ...rest] = seen.path.split('/');
    if (asked !== group || (inVersion !== undefined && inVersion !== version)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    } else if (inVersion === undefined) {
      const versions = [{ groupVersion: `${group}/${version}`, version }];
      json(response, 200, { kind: 'APIGroup', name: group, versions, preferredVersion: versions[0] });
    } else if (rest.length === 0) {
      const resources = Object.entries(kinds).flatMap(([kind, name]) => [
        { name, kind, namespaced: true },
        { name: `${name}/status`, kind, namespaced: true },
      ]);
      json(response, 200, { kind: 'APIResourceList', groupVersion: `${group}/${version}`, resources });
    } else {
      answer(response, seen, stored, rest, kinds);
    }
  });
  const transport = createTransport(server.connection, { firstPauseMs: 5 });
  return {
    transport,
    objects: stored,
    get version() {
      return version;
    },
    set version(next: string) {
      version = next;
    },
    calls: () => server.seen.map(callOf),
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function answer(
  response: http.ServerResponse,
  { query }: Seen,
  objects: readonly Raw[],
  rest: readonly string[],
  kinds: Served['kinds'],
): void {
  const [namespace, resource, name] = rest[0] === 'namespaces' ? [rest[1], rest[2], rest[3]] : [undefined, rest[0]];
  const kind = Object.keys(kinds).find((one) => kinds[one] === resource);
  const selector = (query.get('labelSelector') ?? '').split(',').filter((term) => term !== '');
  const found = objects.filter((object) => {
    const { metadata } = object as { readonly metadata?: Record<string, unknown> };
    const labels = { ...(metadata?.['labels'] as object | undefined) } as Record<string, unknown>;
    return (
      object['kind'] === kind &&
      (namespace === undefined || metadata?.['namespace'] === namespace) &&
      (name === undefined || metadata?.['name'] === name) &&
      selector.every((term) => labels[term.split('=')[0]!] === term.split('=')[1])
    );
  });
  if (name === undefined) {
    const start = Number(query.get('continue') ?? 0);
    const end = start + Number(query.get('limit') ?? found.length);
    const metadata = end < found.length ? { continue: String(end) } : {};
    json(response, 200, { kind: `${kind}List`, metadata, items: found.slice(start, end) });
  } else if (found[0] === undefined) {
    refuse(response, 404, 'NotFound', `${resource} "${name}" not found`);
  } else {
    json(response, 200, found[0]);
  }
}

function callOf({ method, path, query }: Seen): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('limit');
  const text = parameters.toString();
  return `${method} ${path}${text === '' ? '' : `?${text}`}`;
}
