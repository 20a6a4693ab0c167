import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServerCertificate } from '../../cli/local/certificate.ts';
import { webhookConfiguration } from '../../providers/kubernetes/manifests/webhook.ts';
import { openCluster } from './cluster.ts';
import { type Kube, kube as connect } from './servers/kube.ts';
import { reductions } from './template/mutants.ts';
import { serverSet } from './server-set.ts';
import { listen } from '../listening.ts';

const NAME = 'webhook-fields';
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const USER = `system:serviceaccount:${NAME}:stranger`;

/** Notification of an event. Its path names the webhook. */
interface Notification {
  readonly path: string;
  readonly what: string;
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly dryRun?: boolean;
    readonly object: { readonly apiVersion: string; readonly metadata: { readonly name: string } } | null;
    readonly oldObject: { readonly metadata: { readonly name: string } } | null;
  };
}

/** Takes notifications; an event whose name begins with `failing` it fails on. */
async function startServer() {
  const { ca, certificate, key } = await createServerCertificate('127.0.0.1');
  const notifications: Notification[] = [];
  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const { request } = (await json(incoming)) as Review;
      const { name } = (request.object ?? request.oldObject)!.metadata;
      const url = new URL(incoming.url!, 'https://host');
      const what = [request.operation, request.object?.apiVersion, name, request.dryRun, url.search].join(' ');
      notifications.push({ path: url.pathname, what });
      outgoing.writeHead(name.startsWith('failing') ? 500 : 200, { 'content-type': 'application/json' });
      const response = { uid: request.uid, allowed: true };
      outgoing.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
    };
    answer().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ca, address: `https://127.0.0.1:${port}`, notifications };
}

const IN = `/api/v1/namespaces/${NAME}/events`;
const NEW = `/apis/events.k8s.io/v1/namespaces/${NAME}/events`;

const coreEvent = (name: string, reason = 'FailedScheduling') => ({
  metadata: { name, namespace: NAME },
  involvedObject: { kind: 'Pod', namespace: NAME, name: 'any' },
  reason,
  type: 'Warning',
});
const newEvent = (name: string) => ({
  metadata: { name, namespace: NAME },
  regarding: { kind: 'Pod', namespace: NAME, name: 'any' },
  reason: 'FailedScheduling',
  note: 'x',
  type: 'Warning',
  action: 'Scheduling',
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'test',
  reportingInstance: 'test',
});

/** Makes events of all kinds, and gives the names of the webhooks that kept one from being made. */
async function makeEvents(kube: Kube, stranger: Kube): Promise<readonly string[]> {
  await kube.create(IN, coreEvent('core'));
  await kube.patch(`${IN}/core`, { count: 2 });
  await kube.create(IN, coreEvent('other-reason', 'Scheduled'));
  await kube.create(`${IN}?dryRun=All`, coreEvent('dry-run'));
  await kube.create(NEW, newEvent('new'));
  await kube.patch(`${NEW}/new`, { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } });
  await stranger.create(IN, coreEvent('of-a-stranger'));
  await kube.remove(`${IN}/core`);
  const failed = await kube.create(IN, coreEvent('failing')).then(() => '', String);
  return [...failed.matchAll(/webhook \\?"([^"\\]+)/g)].map(([, name]) => name!);
}

/** A user who may write events, and is no scheduler. */
async function strangerOf(kube: Kube): Promise<Kube> {
  const accounts = `/api/v1/namespaces/${NAME}/serviceaccounts`;
  await kube.create(accounts, { metadata: { name: 'stranger' } });
  await kube.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAME}/roles`, {
    metadata: { name: 'stranger' },
    rules: [{ apiGroups: [''], resources: ['events'], verbs: ['create'] }],
  });
  await kube.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAME}/rolebindings`, {
    metadata: { name: 'stranger' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'stranger' },
    subjects: [{ kind: 'User', name: USER }],
  });
  const { status } = await kube.create<{ readonly status: { readonly token: string } }>(`${accounts}/stranger/token`, {
    spec: { expirationSeconds: 600 },
  });
  const stranger = connect({
    apiServer: serverSet.apiServer,
    certificateAuthority: serverSet.certificateAuthority,
    token: status.token,
  });
  onTestFinished(() => stranger.close());
  const resourceAttributes = { verb: 'create', resource: 'events', namespace: NAME };
  await expect
    .poll(() =>
      kube.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: USER, resourceAttributes } }),
    )
    .toMatchObject({ status: { allowed: true } });
  return stranger;
}

const target = { url: 'https://host/', ca: 'PEM', schedulerUsers: ['admin'] };
const [WEBHOOK] = webhookConfiguration(NAME, target).webhooks;
const REDUCED = reductions(WEBHOOK);

/** Parts without which the API server does the same, and why. */
const SAME: Readonly<Record<string, string>> = {
  'rules.0.scope': 'There are no events that are in no namespace.',
  'rules.1.scope': 'There are no events that are in no namespace.',
  matchPolicy: 'Both kinds are in the rules: an event is not converted to the other one.',
};

/** Outcome of each reduced webhook: `null`, refused; else its notifications, and whether it failed a request. */
let outcomes: ReadonlyMap<string, string | null> = new Map();

test('the webhook is notified of what schedulers write when they find no node, and fails no request', async () => {
  const { kube } = await openCluster(NAME);
  const { ca, address, notifications } = await startServer();
  const stranger = await strangerOf(kube);
  const made: string[] = [];
  onTestFinished(async () => {
    for (const name of made) await kube.remove(`${WEBHOOKS}/${name}`);
  });
  const apply = async (id: string, webhook: unknown): Promise<boolean> => {
    const caBundle = Buffer.from(ca).toString('base64');
    const text = JSON.stringify(webhook)
      .replace(target.url, `${address}/${id}`)
      .replace(Buffer.from(target.ca).toString('base64'), caBundle)
      .replace('failed-scheduling.outrigger.dev', `${id}.outrigger.dev`);
    const object = { metadata: { name: `${NAME}-${id}` }, webhooks: [JSON.parse(text) as unknown] };
    const taken = await kube.create(WEBHOOKS, object).then(
      () => true,
      () => false,
    );
    if (taken) made.push(object.metadata.name);
    return taken;
  };
  const taken = new Map<string, boolean>();
  for (const [index, [part, webhook]] of REDUCED.entries()) taken.set(part, await apply(`w${index}`, webhook));
  expect(await apply('whole', WEBHOOK)).toBe(true);
  // The API server heeds them in the order in which they were made, after a moment.
  for (let number = 0; !notifications.some(({ path }) => path === '/whole'); number += 1)
    await kube.create(IN, coreEvent(`awaited-${number}`));
  notifications.length = 0;

  const failing = await makeEvents(kube, stranger);
  const outcomeOf = (id: string): string => {
    const notified = notifications.filter(({ path }) => path === `/${id}`).map(({ what }) => what);
    return JSON.stringify({ notified, failing: failing.includes(`${id}.outrigger.dev`) });
  };
  outcomes = new Map([
    ...REDUCED.map(([part], index) => [part, taken.get(part) === true ? outcomeOf(`w${index}`) : null] as const),
    ['', outcomeOf('whole')],
  ]);
  expect(JSON.parse(outcomes.get('')!)).toEqual({
    failing: false,
    notified: [
      'CREATE v1 core  ?timeout=2s',
      'UPDATE v1 core  ?timeout=2s',
      'CREATE events.k8s.io/v1 new  ?timeout=2s',
      'UPDATE events.k8s.io/v1 new  ?timeout=2s',
      'CREATE v1 failing  ?timeout=2s',
    ].map((what) => what.replace('  ', ' false ')),
  });
});

test('every exception is about a part that the webhook has', () => {
  expect(Object.keys(SAME).filter((part) => !REDUCED.some(([name]) => name === part))).toEqual([]);
});

describe('it is refused, or does otherwise, without', () => {
  test.each(REDUCED.map(([part]) => part))('%s', (part) => {
    expect(outcomes.get(part) !== outcomes.get('')).toBe(SAME[part] === undefined);
  });
});
