import { describe, expect, it } from 'vitest';
import { explainGroup } from '../../../core/explanation/group.ts';
import { explainNode } from '../../../core/explanation/node.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { minutes, seconds } from '../../../core/model/values/time.ts';
import { writeExplanation } from '../../../providers/schema/explanation.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';

async function record() {
  const world = eventfulWorld({});
  await evaluated(world);
  return await clusterRecordOf(world);
}

const fieldsOf = (written: unknown): readonly string[] => Object.keys(written as object).toSorted();

describe('an explanation for programs', () => {
  it('has every field that is known of a node group', async () => {
    const known = explainGroup(await record(), groupName('web'))!;
    expect(fieldsOf(writeExplanation('GroupExplanation', known))).toEqual(
      fieldsOf({ apiVersion: '', kind: '', ...known }),
    );
  });

  it('has every field that is known of a node', async () => {
    const known = explainNode(await record(), nodeName('n1'))!;
    expect(fieldsOf(writeExplanation('NodeExplanation', known))).toEqual(
      fieldsOf({ apiVersion: '', kind: '', ...known }),
    );
  });

  it('has the time that a node group has learned, as options have it', async () => {
    const known = await record();
    const web = groupName('web');
    const learned = { group: web, time: minutes(2), boot: seconds(44), removals: 7, relaunched: 1, watched: [] };
    const learning = { ...known, state: { ...known.state, unneededTimes: [learned] } };
    expect(writeExplanation('GroupExplanation', explainGroup(learning, web)!)).toMatchObject({
      unneededTime: { time: '2m', boot: '44s', removals: 7, relaunched: 1 },
    });
  });
});
