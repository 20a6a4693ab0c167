import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { required } from '@outrigger/core/model/values/existing.ts';
import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { looseFields } from '../../manifest/fields.ts';
import { codeOf } from '../client/api-error.ts';
import type { Connection, TokenSource } from '../client/connection.ts';

export interface KubeconfigOptions {
  /** `null`: the files in `KUBECONFIG`, else `~/.kube/config`. */
  readonly file: string | null;
  /** `null`: the file's current context. */
  readonly context: string | null;
}

/**
 * Creates a connection from a kubeconfig file: certificate authority, client certificate, token, token file, exec plugins
 * such as `aws eks get-token`, TLS server name, proxy.
 *
 * @throws Error when the file or the context is missing, or requires something that is not supported: users with
 *   a password (removed from Kubernetes in 1.19) and impersonation.
 */
export async function connectionOfKubeconfig({ file, context }: KubeconfigOptions): Promise<Connection> {
  const origin = file ?? process.env['KUBECONFIG'] ?? path.join(homedir(), '.kube', 'config');
  let config = load(file, context, origin);
  const cluster = required(config.getCurrentCluster(), 'the current context');
  const user = config.getCurrentUser();
  if (user?.impersonateUser) {
    throw new Error(
      `${origin}: user ${user.name} acts as ${user.impersonateUser}, and impersonation is not supported. Use a context without "as".`,
    );
  }
  if (user?.username) {
    throw new Error(
      `${origin}: user ${user.name} has a password. Use a token, a client certificate or an exec plugin.`,
    );
  }
  const given = await login(config, origin);

  const token: TokenSource = async (refresh) => {
    if (refresh) {
      // A `KubeConfig` caches the results of exec plugins and token files; a new one reads them again.
      config = load(file, context, origin);
    }
    const bearer = bearerOf(await login(config, origin));
    if (bearer === null) {
      throw new Error(`${origin}: user ${user?.name ?? ''} no longer has a token. Log in again.`);
    }
    return bearer;
  };

  return {
    server: new URL(cluster.server),
    tls: {
      ca: pem(given.ca),
      certificate: pem(given.cert),
      key: pem(given.key),
      serverName: cluster.tlsServerName ?? null,
      insecure: cluster.skipTLSVerify,
    },
    token: bearerOf(given) === null ? null : token,
    proxy: cluster.proxyUrl ?? null,
  };
}

function load(file: string | null, context: string | null, origin: string): KubeConfig {
  const config = new KubeConfig();
  if (file === null && process.env['KUBECONFIG'] === undefined && !existsSync(origin)) {
    throw new Error(`There is no kubeconfig at ${origin}. Set --kubeconfig or KUBECONFIG.`);
  }
  try {
    if (file === null) {
      config.loadFromDefault();
    } else {
      config.loadFromFile(file);
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      const missing = (error as NodeJS.ErrnoException).path ?? origin;
      throw new Error(
        `There is no kubeconfig ${missing}. Name another file, or write this one: aws eks update-kubeconfig --name CLUSTER --kubeconfig ${missing}`,
        { cause: error },
      );
    }
    throw new Error(`Reading the kubeconfig ${origin} failed: ${messageOf(error).trim()}.`, { cause: error });
  }
  if (context !== null) {
    config.setCurrentContext(context);
  }
  if (config.getCurrentCluster() === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new Error(
      `${origin}: context ${JSON.stringify(config.getCurrentContext() ?? '')} does not refer to a cluster. ` +
        `Contexts there: ${known.join(', ') || 'none'}.`,
    );
  }
  return config;
}

/** Lets the parser read certificate files and run exec plugins. */
async function login(config: KubeConfig, origin: string): Promise<RequestOptions> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const user = config.getCurrentUser();
    const command: unknown = user?.exec?.command;
    const how = typeof command === 'string' ? ` with "${command}"` : '';
    throw new Error(`${origin}: logging in as ${user?.name ?? 'no user'}${how} failed: ${messageOf(error).trim()}.`, {
      cause: error,
    });
  }
  return options;
}

function bearerOf({ headers }: RequestOptions): string | null {
  const { Authorization: value } = looseFields(headers);
  return typeof value === 'string' && value.startsWith('Bearer ') ? value.slice('Bearer '.length) : null;
}

function pem(value: unknown): string | null {
  if (Buffer.isBuffer(value)) {
    return value.toString('utf8');
  }
  return typeof value === 'string' ? value : null;
}
