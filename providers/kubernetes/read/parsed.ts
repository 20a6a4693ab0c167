/** A body's JSON; `null` where it is none. */
export function parsedOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
