/** etcd's limit on the operations of a transaction. */
const MOST_OPERATIONS = 128;

/** An object, and the path under which the API server keeps it, such as `pods/default/web-0`. */
export type Stored = readonly [path: string, object: object];

/** The key of a path, as the API server writes it. */
const keyOf = (path: string): string => btoa(`/registry/${path}`);

/** Has etcd forget all earlier revisions. */
export async function compact(etcd: string): Promise<void> {
  const revision = await ask(etcd, 'range', { key: btoa('/'), count_only: true });
  await ask(etcd, 'compaction', { revision, physical: true });
}

/**
 * Writes objects past the API server, which reads JSON as well as its own encoding, and tells its watches of them: 30,000
 * objects in seconds. Nothing checks or completes them.
 */
export const store = (etcd: string, objects: readonly Stored[]): Promise<void> =>
  transact(
    etcd,
    objects.map(([path, object]) => ({
      requestPut: { key: keyOf(path), value: Buffer.from(JSON.stringify(object)).toString('base64') },
    })),
  );

/** Removes the objects of these paths, without their finalizers or grace periods. */
export const erase = (etcd: string, paths: readonly string[]): Promise<void> =>
  transact(
    etcd,
    paths.map((path) => ({ requestDeleteRange: { key: keyOf(path) } })),
  );

/** As many operations at a time as etcd takes. */
async function transact(etcd: string, operations: readonly object[]): Promise<void> {
  for (let from = 0; from < operations.length; from += MOST_OPERATIONS) {
    await ask(etcd, 'txn', { success: operations.slice(from, from + MOST_OPERATIONS) });
  }
}

/**
 * @param etcd the address of its clients: `http://127.0.0.1:PORT`
 * @returns the revision of the store.
 */
async function ask(etcd: string, what: string, body: object): Promise<string> {
  const answer = await fetch(`${etcd}/v3/kv/${what}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd: ${what}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { readonly header: { readonly revision: string } }).header.revision;
}
