import { expect, it, vi } from 'vitest';
import { createTransport, type Transport } from '../../../../providers/kubernetes/client/transport.ts';
import { serverVersionReader } from '../../../../providers/kubernetes/read/server-version.ts';
import { apiServer, type Handler, json, refuse } from '../api-server.ts';

const NEVER = new AbortController().signal;
const version =
  (answer: unknown): Handler =>
  (_seen, response) =>
    json(response, 200, answer);

/** The versions of several reads, where the API server gives these answers one after another. */
async function reads(count: number, ...answers: readonly Handler[]) {
  const asked: string[] = [];
  await using server = await apiServer((seen, response, n) => {
    asked.push(seen.path);
    answers[Math.min(asked.length, answers.length) - 1]!(seen, response, n);
  });
  const warnings: string[] = [];
  const read = serverVersionReader(createTransport(server.connection), (message) => warnings.push(message));
  const minors: (number | undefined)[] = [];
  for (let i = 0; i < count; i++) {
    minors.push(await read(NEVER));
  }
  return { minors, asked, warnings };
}

it.each([
  ['v1.33.0', 33],
  ['v1.36.2-eks-3025e55', 36],
  ['v1.37.0+k3s1', 37],
])('version %s is read once', async (gitVersion, expected) => {
  expect(await reads(2, version({ major: '', minor: '', gitVersion }))).toEqual({
    minors: [expected, expected],
    asked: ['/version'],
    warnings: [],
  });
});

it('is read again after an hour, and remains the last known one where that fails', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  try {
    const bodies = [{ gitVersion: 'v1.35.4' }, null, { gitVersion: 'v1.36.0' }];
    const warn = vi.fn();
    const answer = { status: 200, headers: {}, contentType: 'application/json' };
    const transport: Transport = {
      send: async (_request, read) => read({ ...answer, body: Buffer.from(JSON.stringify(bodies.shift())) }),
      close: () => {},
    };
    const read = serverVersionReader(transport, warn);
    expect(await read(NEVER)).toBe(35);
    clock.mockReturnValue(3_599_999);
    expect(await read(NEVER)).toBe(35);
    clock.mockReturnValue(3_600_000);
    expect(await read(NEVER)).toBe(35);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('the rules of kube-scheduler 1.35 apply')]]);
    expect(await read(NEVER)).toBe(36);
  } finally {
    clock.mockRestore();
  }
});

it.each<[string, Handler]>([
  ['is refused', (_seen, response) => refuse(response, 403, 'Forbidden', 'no')],
  ['is not there', (_seen, response) => refuse(response, 404, 'NotFound', 'no')],
  ['is another', version({ gitVersion: 'v2.0.0' })],
  ['is that of a build without one', version({ gitVersion: 'v0.0.0-master+$Format:%H$' })],
  ['is no JSON', (_seen, response) => void response.writeHead(200).end('<html>')],
])('is unknown where it %s, with a warning, and asked for again', async (_, answer) => {
  const { minors, asked, warnings } = await reads(2, answer, version({ gitVersion: 'v1.37.2' }));
  expect({ minors, asked: asked.length }).toEqual({ minors: [undefined, 37], asked: 2 });
  expect(warnings).toEqual([
    expect.stringContaining('The version of the API server is unknown; the rules of kube-scheduler 1.36 apply.'),
  ]);
});

it.each([
  ['32', 'The rules of kube-scheduler 1.32 are unknown; the rules of 1.33 apply.'],
  ['38', 'The rules of kube-scheduler 1.38 are unknown; the rules of 1.37 apply.'],
])('version 1.%s is reported with the version that is followed instead', async (minor, warning) => {
  const { minors, warnings } = await reads(1, version({ gitVersion: `v1.${minor}.0` }));
  expect({ minors, warnings }).toEqual({ minors: [Number(minor)], warnings: [warning] });
});

it('an aborted read rejects without a warning', async () => {
  await using server = await apiServer(() => {});
  const warn = vi.fn();
  const read = serverVersionReader(createTransport(server.connection), warn);
  await expect(read(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(warn).not.toHaveBeenCalled();
});
