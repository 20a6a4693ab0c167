/** Where an API server is, and how to be let in. */
export interface Connection {
  /** The server's base URL; it may have a path, as behind a proxy that serves several clusters. */
  readonly server: URL;
  readonly tls: TlsSettings;
  /** `null` where the client certificate is all there is, or nothing is needed. */
  readonly token: TokenSource | null;
  /** An HTTP proxy to go through, as a kubeconfig's `proxy-url`; `null` for none. */
  readonly proxy: string | null;
}

export interface TlsSettings {
  /** PEM. `null`: the authorities that Node trusts. */
  readonly ca: string | null;
  /** PEM, both or neither. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** The name to expect in the server's certificate where it is not the URL's host. */
  readonly serverName: string | null;
  /** Accepts any certificate. For test clusters. */
  readonly insecure: boolean;
}

export const DEFAULT_TLS: TlsSettings = Object.freeze({
  ca: null,
  certificate: null,
  key: null,
  serverName: null,
  insecure: false,
});

/**
 * Gives the bearer token to send now.
 *
 * @param refresh the server refused the last one: do not give it again.
 */
export type TokenSource = (refresh: boolean) => Promise<string>;
