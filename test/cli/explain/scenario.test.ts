import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { explainScenario } from '../../../cli/explain/scenario.ts';
import { subjectText } from '../../../cli/explain/subjects.ts';
import type { Subject } from '../../../core/explanation/pages/page.ts';
import { seconds } from '../../../core/model/values/time.ts';
import { writeScenario } from '../../../providers/scenario/scenario.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import { scenario } from '../../scenario-builders.ts';
import { captured } from '../captured.ts';

const eventful = eventfulWorld();
/** No pod waits: nothing of scale-up holds the removal of nodes back. */
const quiet = eventfulWorld();
quiet.objects = { ...quiet.objects, pods: quiet.objects.pods!.filter(({ nodeName }) => nodeName !== null) };
const WORLDS = { pod: eventful, group: eventful, node: quiet };

const documentOf = ({ groups, objects }: TestWorld): string => {
  const empty = scenario({});
  return JSON.stringify(
    writeScenario({ ...empty, nodeGroups: groups.groups, objects: { ...empty.objects, ...objects } }),
  );
};
const DOCUMENTS = { pod: documentOf(eventful), group: documentOf(eventful), node: documentOf(quiet) };
await evaluated(eventful);
await evaluated(quiet);

const run = (subject: Subject, name: string, input = DOCUMENTS[subject], output: 'text' | 'json' = 'text') =>
  captured((streams) => explainScenario(subject, name, { scenario: '-', output }, streams), input);

/** The answer of a deployment that has evaluated the same cluster. */
async function ofDeployment(subject: Subject, name: string): Promise<string> {
  const answered = subjectText(subject, name, await clusterRecordOf(WORLDS[subject], seconds(0)));
  return answered.ok ? answered.value.text({ colors: pc.createColors(false), width: 80 }) : '';
}

describe('explain --scenario', () => {
  it.each<[Subject, string]>([
    ['pod', 'waits'],
    ['pod', 'default/huge'],
    ['pod', 'solo'],
    ['node', 'n2'],
    ['node', 'n3'],
    ['group', 'web'],
    ['group', 'full'],
    ['group', 'wrong'],
  ])('answers for %s %s with the words of a deployment that has evaluated the same cluster', async (subject, name) => {
    const { code, stdout, stderr } = await run(subject, name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(await ofDeployment(subject, name));
  });

  it('prints the document of the schema', async () => {
    const { stdout } = await run('pod', 'huge', DOCUMENTS.pod, 'json');
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'PodExplanation', scaleUp: { outcome: 'Unschedulable' } });
  });

  it('names what is near a name that the scenario does not have', async () => {
    expect(await run('node', 'n4')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: Nothing is known of node n4: .*\nDid you mean n1, n2, n3\?\n$/),
    });
  });

  it('says where a scenario is invalid', async () => {
    const invalid = DOCUMENTS.node.replace('"minSize":1', '"minSize":"one"');
    const { code, stderr } = await run('node', 'n1', invalid);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^<stdin>:1: nodeGroups\[0\]\.minSize: expected/);
    expect(await run('node', 'n1', '')).toMatchObject({
      code: 2,
      stderr: '<stdin>: expected one Scenario, found nothing\n',
    });
  });
});
