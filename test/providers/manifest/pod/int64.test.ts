import { describe, expect, it } from 'vitest';
import { podRequests } from '../../../../core/model/cluster/pod-requests.ts';
import { POD_LISTS } from '../../../../providers/kubernetes/read/kinds.ts';
import { pageReader } from '../../../../providers/kubernetes/read/page.ts';
import { PROTOBUF } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import { cursorOver, readVarint } from '../../../../providers/kubernetes/protobuf/wire.ts';
import { encodePod } from '../../kubernetes/protobuf/pod-encoder.ts';
import { listOf } from '../../kubernetes/wire-encoder.ts';
import { readPod } from '../../../manifest-readers.ts';

const MOST = Number.MAX_SAFE_INTEGER;

const read = (json: string) =>
  readPod(JSON.parse(`{"metadata": {"name": "p", "namespace": "default"}, "spec": ${json}}`), '');

describe('an int64 that the API server accepts', () => {
  it.each([
    ['30', 30],
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', MOST],
    ['9007199254740992', MOST],
    ['9223372036854775807', MOST],
    ['-9223372036854775808', -MOST],
  ])('%s is read as %d, in a grace period and in a toleration', (text, value) => {
    const pod = read(`{"terminationGracePeriodSeconds": ${text}, "tolerations": [{"tolerationSeconds": ${text}}]}`);
    expect(pod).toMatchObject({
      ok: true,
      value: { spec: { terminationGracePeriodSeconds: value, tolerations: [{ tolerationSeconds: value }] } },
    });
  });

  it.each(['1.5', '1e300', '18446744073709551616', '"30"', 'true', '[]'])('%s is none', (text) => {
    expect(read(`{"terminationGracePeriodSeconds": ${text}}`)).toMatchObject({
      ok: false,
      error: { place: 'spec.terminationGracePeriodSeconds', expected: 'an integer' },
    });
  });

  it.each([2n ** 63n - 1n, 2n ** 53n, -(2n ** 63n), -1n, 0n, 2n ** 31n])('%d is the same as a varint', (value) => {
    const bytes: number[] = [];
    for (let rest = BigInt.asUintN(64, value), more = true; more; rest >>= 7n) {
      more = rest > 0x7fn;
      bytes.push(Number(rest & 0x7fn) | (more ? 0x80 : 0));
    }
    expect(readVarint(cursorOver(Buffer.from(bytes)))).toBe(Number(value));
  });

  it('closes nothing and rejects nothing, in protobuf either', () => {
    const encoded = encodePod({
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [{ name: 'c' }], nodeName: 'n1', terminationGracePeriodSeconds: 2 ** 62 },
      status: { phase: 'Running' },
    });
    const page = pageReader(POD_LISTS).page({
      status: 200,
      headers: {},
      contentType: PROTOBUF,
      body: listOf('v1', 'Pod', [encoded]),
    });
    expect(page).toMatchObject({ rejected: [], items: [{ spec: { terminationGracePeriodSeconds: MOST } }] });
  });
});

describe('a quantity at its limits', () => {
  it.each(['9223372036854775807', '9E', '1E', '9007199254740993', '8Ei', '1e18', '9'.repeat(60)])(
    '%s of memory is as much as no node has, and a sum of it is a number',
    (memory) => {
      const container = `{"name": "c", "resources": {"requests": {"memory": "${memory}"}}}`;
      const pod = read(`{"containers": [${Array.from({ length: 100 }, () => container).join()}]}`);
      if (!pod.ok) {
        throw new Error(JSON.stringify(pod.error));
      }
      expect(pod.value.spec.containers[0]!.requests).toEqual({ memory: MOST });
      const sum = podRequests(pod.value)['memory']!;
      expect(sum).toBeGreaterThanOrEqual(MOST);
      expect(JSON.parse(JSON.stringify(sum))).toBe(sum);
    },
  );

  it.each([
    ['9223372036854775807', MOST],
    ['9007199254740991m', MOST],
    ['1e-400', 0],
  ])('%s of CPU is %d milli', (cpu, milli) => {
    const pod = read(`{"containers": [{"name": "c", "resources": {"requests": {"cpu": "${cpu}"}}}]}`);
    expect(pod).toMatchObject({ ok: true, value: { spec: { containers: [{ requests: { cpu: milli } }] } } });
  });
});
