import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { lastTaintFlag, type UserData, readUserData } from './user-data.ts';

/** EC2 takes 16 KiB of user data, before it is encoded. */
const LONGEST = 16 * 1_024;

const FLAG = '--register-with-taints=';

/**
 * Has the kubelet register its node with a `NoSchedule` taint without a value, too. All else stays as it is.
 *
 * - A `--register-with-taints` that is there gets one taint more: each such flag replaces those before it, and the taints
 *   of the kubelet's configuration.
 * - NodeConfigs of nodeadm (AL2023) get another beside them, as a part of a MIME message: nodeadm appends its flags.
 * - Bottlerocket's settings get an entry of the table `settings.kubernetes.node-taints`.
 *
 * @param base64 as the EC2 API returns it; `null` where there is none.
 * @returns the same text where the taint is there already; why the user data is left alone.
 */
export function withNodeTaint(base64: string | null, key: string): Result<string, string> {
  const read = readUserData(base64);
  if (hasTaint(read, key)) {
    return ok(base64 ?? '');
  }
  const text = decoded(base64);
  const edited = withTaint(text, read, `${key}=:NoSchedule`) ?? withTableEntry(text, key);
  if (edited === null) {
    return err(UNKNOWN);
  }
  return checked(read, edited, (now) => hasTaint(now, key));
}

/** Takes a taint out that `withNodeTaint` has put in. Returns as that function does. */
export function withoutNodeTaint(base64: string | null, key: string): Result<string, string> {
  const read = readUserData(base64);
  if (!hasTaint(read, key)) {
    return ok(base64 ?? '');
  }
  const text = decoded(base64);
  const entry = new RegExp(`^[ \\t]*"${escaped(key)}"[ \\t]*=.*\\n?`, 'm');
  const inFlag = new RegExp(`(${FLAG}["']?(?:[^\\s"'\\]]+,)?)${escaped(key)}=?:NoSchedule,?`, 'g');
  const part = escaped(nodeConfigWith(`${FLAG}${key}=:NoSchedule`));
  const edited = text
    .replace(new RegExp(`\\n--\\S+\\n${part}`), '')
    .replace(entry, '')
    .replaceAll(inFlag, '$1')
    .replaceAll(new RegExp(`(${FLAG}["']?[^\\s"'\\]]+),(?=[\\s"'\\]]|$)`, 'g'), '$1');
  return checked(read, edited, (now) => !hasTaint(now, key));
}

const UNKNOWN =
  'its user data has no NodeConfig of nodeadm, table of Bottlerocket or flag --register-with-taints that can be changed';

const decoded = (base64: string | null): string => Buffer.from(base64 ?? '', 'base64').toString('utf8');

const hasTaint = ({ taints }: UserData, key: string): boolean => taints.some((taint) => taint.key === key);

const escaped = (key: string): string => key.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** By a flag of the kubelet; `null` where the text has no place for one. */
function withTaint(text: string, { taints }: UserData, taint: string): string | null {
  const last = lastTaintFlag(text);
  if (last !== undefined) {
    const end = last.index + last[0].length;
    // The kubelet does not start where a variable of the shell is empty.
    return last[0].includes('$') ? null : `${text.slice(0, end)},${taint}${text.slice(end)}`;
  }
  if (!/^\s*["']?kind["']?\s*:\s*["']?NodeConfig\b/m.test(text)) {
    return null;
  }
  const all = [...taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`), taint].join(',');
  return withPart(text, nodeConfigWith(`${FLAG}${all}`));
}

const nodeConfigWith = (flag: string): string => `Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    flags:
      - ${flag}
`;

const BOUNDARY = 'OUTRIGGER';

/** A MIME message with one part more at its end; other text becomes the first part of a message. */
function withPart(text: string, part: string): string {
  const boundary = /^Content-Type:\s*multipart\/[a-z-]+;\s*boundary="?([^"\s;]+)"?/im.exec(text)?.[1];
  if (boundary === undefined) {
    const own = `Content-Type: application/node.eks.aws\n\n${text.trimEnd()}\n`;
    const parts = [own, part].map((each) => `--${BOUNDARY}\n${each}\n`);
    const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\n\n`;
    return `${head}${parts.join('')}--${BOUNDARY}--\n`;
  }
  const end = text.lastIndexOf(`\n--${boundary}--`);
  const whole = end === -1 ? text.trimEnd() : text.slice(0, end);
  return `${whole}\n--${boundary}\n${part}\n--${boundary}--\n`;
}

/** By Bottlerocket's table of taints; `null` where the text is no such settings, or has its taints in another form. */
function withTableEntry(text: string, key: string): string | null {
  if (!/^[ \t]*\[settings(?:\.[\w-]+)*\]/m.test(text) || /^[^\n#[]*node-taints[^\n\]]*=/m.test(text)) {
    return null;
  }
  const entry = `"${key}" = [":NoSchedule"]\n`;
  const table = /^[ \t]*\[settings\.kubernetes\.node-taints\][^\n]*\n?/m.exec(text);
  if (table === null) {
    return `${text.trimEnd()}\n\n[settings.kubernetes.node-taints]\n${entry}`;
  }
  const at = table.index + table[0].length;
  return `${text.slice(0, at).trimEnd()}\n${entry}${text.slice(at)}`;
}

/** The text encoded, unless it is too long, or the kubelet's other settings would change. */
function checked(before: UserData, text: string, isDone: (read: UserData) => boolean): Result<string, string> {
  const base64 = Buffer.from(text, 'utf8').toString('base64');
  const length = Buffer.byteLength(text, 'utf8');
  if (length > LONGEST) {
    return err(`its user data would have ${length} bytes, of which EC2 takes ${LONGEST}`);
  }
  const now = readUserData(base64);
  const rest = (read: UserData): string =>
    JSON.stringify({ ...read, taints: [], kubelet: { ...read.kubelet, taints: [] } });
  return isDone(now) && rest(now) === rest(before) ? ok(base64) : err(UNKNOWN);
}
