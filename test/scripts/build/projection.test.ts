import { expect, it } from 'vitest';
import { bundle } from '../../../scripts/build/bundle.ts';
import { projectionHash } from '../../../scripts/build/projection.ts';

/** The files that the hash is of. */
async function files(): Promise<readonly string[]> {
  const { inputs } = await bundle({
    entryPoints: ['providers/kubernetes/read/view/entry-reader.ts', 'providers/kubernetes/read/kinds.ts'],
    outdir: 'projection',
    write: false,
  });
  return Object.keys(inputs);
}

it('the code that reads objects has a hash, which is the same each time', async () => {
  const hash = await projectionHash();
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  expect(await projectionHash()).toBe(hash);
});

it('the hash is of all that decides on what is kept of an object, and of nothing that decides on nodes', async () => {
  const all = await files();
  for (const part of [
    'providers/manifest/pod.ts',
    'providers/manifest/node.ts',
    'providers/manifest/controller.ts',
    'providers/manifest/pod-spec.ts',
    'providers/kubernetes/protobuf/pod.ts',
    'providers/kubernetes/read/unreadable.ts',
  ]) {
    expect(all).toContain(part);
  }
  expect(all.filter((file) => /^core\/(scaleup|scaledown|drain)\//.test(file))).toEqual([]);
});
