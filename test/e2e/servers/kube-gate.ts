import type { ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import { pipeline } from 'node:stream';
import type { ServerCertificate } from '../../../cli/local/certificate.ts';
import type { Connection } from './kube.ts';
import type { Side } from './tripwire.ts';
import { listen } from '../../listening.ts';

/** Stands in front of the API server and catches one of the requests that pass. */
export interface KubeGate {
  /** How it is reached: with the token that it passes on. */
  readonly connection: Connection;
  /**
   * Catches the `nth` request from now on whose method and path (`PATCH /api/v1/nodes/n1`) match: before the request is
   * passed on, or after the request has taken effect. The caller never gets an answer, and no other request passes
   * until `open`: the calling process stops here, as if killed. Resolves with the caught request.
   */
  catchRequest(matches: RegExp, nth: number, side: Side): Promise<string>;
  /** Lets requests pass again. */
  open(): void;
  stop(): Promise<void>;
}

interface Trap {
  readonly matches: RegExp;
  left: number;
  readonly side: Side;
  readonly caught: (request: string) => void;
}

/** @param certificate of 127.0.0.1 */
export async function startKubeGate(
  { apiServer, certificateAuthority, token }: Connection,
  { ca, certificate, key }: ServerCertificate,
): Promise<KubeGate> {
  const agent = new Agent({ keepAlive: true, ca: certificateAuthority });
  let trap: Trap | null = null;
  let shut = false;

  const server = createServer({ cert: certificate, key }, (incoming, outgoing) => {
    if (shut) return;
    // As they came: a client may have several of one name.
    const { method = 'GET', url = '/', rawHeaders: headers } = incoming;
    const name = `${method} ${url.split('?')[0]}`;
    const held = trap !== null && trap.matches.test(name) && --trap.left === 0 ? trap : null;
    if (held !== null) {
      trap = null;
      shut = true;
    }
    if (held?.side === 'before') {
      held.caught(name);
      return;
    }
    const onward = request(new URL(url, apiServer), { agent, method, headers }, (answer) => {
      if (held === null) {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        // Either end may break off: the other one is told by that.
        pipeline(answer, outgoing, () => undefined);
      } else {
        answer.resume().once('end', () => held.caught(name));
      }
    });
    outgoing.once('close', () => onward.destroy());
    onward.once('error', () => fail(outgoing));
    pipeline(incoming, onward, () => undefined);
  });
  const port = await listen(server);
  return {
    connection: { apiServer: `https://127.0.0.1:${port}`, certificateAuthority: ca, token },
    catchRequest: (matches, nth, side) =>
      new Promise((resolve) => {
        trap = { matches, left: nth, side, caught: resolve };
      }),
    open: () => {
      trap = null;
      shut = false;
    },
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function fail(outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(502).end();
}
