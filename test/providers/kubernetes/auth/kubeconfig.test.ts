import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOfKubeconfig } from '../../../../providers/kubernetes/auth/kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const connect = (file: string | null, context: string | null = null) => connectionOfKubeconfig({ file, context });

describe('a connection of a kubeconfig', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes a kubeconfig with one context, and gives its path. */
  async function kubeconfig(cluster: object, user: object, name = 'config'): Promise<string> {
    const file = path.join(folder, name);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  it('has the server, its authority and the token', async () => {
    const file = await kubeconfig({ 'certificate-authority-data': base64(PEM) }, { token: 'abc' });
    const { server, tls, token, proxy } = await connect(file);
    expect(server.href).toBe('https://10.0.0.1:6443/');
    expect(tls).toEqual({ ca: PEM, certificate: null, key: null, serverName: null, insecure: false });
    expect(await token!(false)).toBe('abc');
    expect(proxy).toBeNull();
  });

  it('has a client certificate, from files beside the kubeconfig', async () => {
    await writeFile(path.join(folder, 'client.crt'), PEM);
    await writeFile(path.join(folder, 'client.key'), 'KEY');
    const file = await kubeconfig({}, { 'client-certificate': 'client.crt', 'client-key': 'client.key' });
    const { tls, token } = await connect(file);
    expect(tls).toMatchObject({ certificate: PEM, key: 'KEY' });
    expect(token).toBeNull();
  });

  it('has what the cluster says of TLS and of a proxy', async () => {
    const file = await kubeconfig(
      { 'insecure-skip-tls-verify': true, 'tls-server-name': 'api.internal', 'proxy-url': 'http://proxy:3128' },
      { token: 'abc' },
    );
    const { tls, proxy } = await connect(file);
    expect(tls).toMatchObject({ insecure: true, serverName: 'api.internal' });
    expect(proxy).toBe('http://proxy:3128');
  });

  it('asks an exec plugin for a token, once, and again when the server refused it', async () => {
    const plugin = path.join(folder, 'plugin.sh');
    await writeFile(
      plugin,
      `#!/bin/sh
echo run >> ${folder}/runs
n=$(wc -l < ${folder}/runs | tr -d ' ')
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"'$1-$n'"}}'
`,
    );
    await chmod(plugin, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: plugin, args: ['token'] };
    const { token } = await connect(await kubeconfig({}, { exec }));
    expect([await token!(false), await token!(false), await token!(true), await token!(false)]).toEqual([
      'token-1',
      'token-1',
      'token-2',
      'token-2',
    ]);
  });

  it('says which plugin failed, and what it said', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'sh',
      args: ['-c', 'echo no profile >&2; exit 1'],
    };
    await expect(connect(await kubeconfig({}, { exec }))).rejects.toThrow(
      /logging in as u with "sh" failed: no profile/,
    );
  });

  it('takes the file that KUBECONFIG names', async () => {
    vi.stubEnv('KUBECONFIG', await kubeconfig({ server: 'https://env:1' }, { token: 'abc' }));
    expect((await connect(null)).server.host).toBe('env:1');
  });

  it('takes ~/.kube/config, and says where it looked when there is none', async () => {
    vi.stubEnv('KUBECONFIG', undefined);
    vi.stubEnv('HOME', folder);
    await expect(connect(null)).rejects.toThrow(
      `There is no kubeconfig at ${path.join(folder, '.kube', 'config')}. Set --kubeconfig or KUBECONFIG.`,
    );
  });

  it.each([
    [
      'a missing file',
      (file: string) => connect(`${file}-gone`),
      /^There is no kubeconfig .*-gone\. Name another file, or write this one: aws eks update-kubeconfig --name CLUSTER --kubeconfig .*-gone$/,
    ],
    [
      'a missing context',
      (file: string) => connect(file, 'y'),
      /context "y" does not refer to a cluster\. Contexts there: x\./,
    ],
  ])('says so of %s', async (_, run, problem) => {
    await expect(run(await kubeconfig({}, { token: 'abc' }))).rejects.toThrow(problem);
  });

  it.each([
    ['impersonation', { token: 'abc', as: 'root' }, /impersonation is not supported/],
    ['a password', { username: 'admin', password: 'hunter2' }, /user u has a password/],
  ])('refuses %s', async (_, user, problem) => {
    const refused = connect(await kubeconfig({}, user));
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.not.toThrow(/hunter2/);
  });
});
