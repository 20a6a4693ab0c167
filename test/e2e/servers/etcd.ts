/** Objects of Kubernetes are written many at once, by etcd's own limit on the operations of a transaction. */
const OPERATIONS = 128;

interface Answer {
  readonly header: { readonly revision: string };
}

/** An object, and the path under which the API server keeps it, such as `pods/default/web-0`. */
export type Stored = readonly [path: string, object: object];

/** The keys of an API server. */
const keyOf = (path: string): string => btoa(`/registry/${path}`);

/** Has etcd forget all earlier revisions. */
export async function compact(etcd: string): Promise<void> {
  const { header } = await ask(etcd, 'range', { key: btoa('/'), count_only: true });
  await ask(etcd, 'compaction', { revision: header.revision, physical: true });
}

/**
 * Writes objects past the API server, which reads JSON as well as its own encoding, and tells its watches of them: 30,000
 * objects in seconds. Nothing checks or completes them.
 */
export async function store(etcd: string, objects: readonly Stored[]): Promise<void> {
  for (let from = 0; from < objects.length; from += OPERATIONS) {
    const success = objects.slice(from, from + OPERATIONS).map(([path, object]) => ({
      requestPut: { key: keyOf(path), value: Buffer.from(JSON.stringify(object)).toString('base64') },
    }));
    await ask(etcd, 'txn', { success });
  }
}

/** Removes the objects of these paths, without their finalizers or grace periods. */
export async function erase(etcd: string, paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += OPERATIONS) {
    const success = paths.slice(from, from + OPERATIONS).map((path) => ({ requestDeleteRange: { key: keyOf(path) } }));
    await ask(etcd, 'txn', { success });
  }
}

/** @param etcd the address of its clients: `http://127.0.0.1:PORT` */
async function ask(etcd: string, what: string, body: object): Promise<Answer> {
  const answer = await fetch(`${etcd}/v3/kv/${what}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd: ${what}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
