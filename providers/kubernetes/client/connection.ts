/** The address and credentials of an API server. */
export interface Connection {
  /** The server's base URL; it may have a path, as behind a proxy that serves several clusters. */
  readonly server: URL;
  readonly tls: TlsSettings;
  /** `null` where a client certificate is used, or no credentials are needed. */
  readonly token: TokenSource | null;
  /** An HTTP proxy, as a kubeconfig's `proxy-url`; `null` for none. */
  readonly proxy: string | null;
}

export interface TlsSettings {
  /** PEM. `null`: the authorities that Node trusts. */
  readonly ca: string | null;
  /** PEM, both or neither. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** The expected name in the server's certificate where it is not the URL's host. */
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
 * Returns the bearer token to send.
 *
 * @param refresh the server refused the last token: return another one.
 */
export type TokenSource = (refresh: boolean) => Promise<string>;
