import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** PEM, all three. */
export interface ServerCertificate {
  /**
   * The certificate authority that a client must trust. The authority signs this certificate only, and its key is not
   * kept.
   */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes a certificate for one host (a name or an address), valid for a year from yesterday: clocks differ. */
export async function createServerCertificate(host: string): Promise<ServerCertificate> {
  const day = 86_400_000;
  const validity = {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - day),
    notAfterDate: new Date(Date.now() + 365 * day),
  } as const;
  const authority = await generate([{ name: 'commonName', value: 'Outrigger local webhook' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: host }], {
    ...validity,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host }] },
    ],
  });
  return { ca: authority.cert, certificate: server.cert, key: server.private };
}
