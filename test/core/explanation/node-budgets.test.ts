import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { subjectText, aboutCluster } from '../../../cli/explain/subjects.ts';
import { knownNodeBudgets } from '../../../core/explanation/node-budgets.ts';
import { explainGroup } from '../../../core/explanation/group.ts';
import { unreadableNodeBudget } from '../../../core/model/node-budget.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { widgetPage } from '../../../providers/html/widget/page.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { group } from '../../scenario-builders.ts';
import { budgets } from '../scaledown/node-budgets/given.ts';

const world = eventfulWorld({
  options: { disruptionBudgets: budgets('50%; 0 from 0 8 * * * for 10h in Europe/Berlin') },
  groups: [
    group('web', { nodes: ['n1', 'n2', 'n3'], options: { disruptionBudgets: budgets('50%') } }),
    group('odd', { options: { disruptionBudgets: [unreadableNodeBudget('expected 10%, found "many"')] } }),
  ],
});
await evaluated(world);
const record = await clusterRecordOf(world);

const CLUSTER =
  '"0 from 0 8 * * * for 10h in Europe/Berlin": no node may be removed, until 2026-01-01 18:00 Europe/Berlin';
const OF_WEB = '"50%": 2 of 3 nodes may be unavailable, and 0 are';
const OF_ODD = 'cannot be read, so no node is removed: expected 10%, found "many"';

describe('disruption budgets in force', () => {
  it('are known of the cluster and of each node group, the most restrictive of each', () => {
    expect(knownNodeBudgets(record)).toEqual([
      { group: null, text: CLUSTER },
      { group: 'odd', text: OF_ODD },
      { group: 'web', text: OF_WEB },
    ]);
    expect(knownNodeBudgets({ ...record, scaleDown: null })).toEqual([]);
  });

  it('are told of a node group with those of the cluster', () => {
    expect(explainGroup(record, groupName('web'))?.budgets).toEqual([`cluster: ${CLUSTER}`, `node group: ${OF_WEB}`]);
  });

  it('are in what outrigger explain group and outrigger status print', () => {
    const style = { colors: pc.createColors(false), width: 200 };
    const ofGroup = subjectText('group', 'web', record);
    expect(ofGroup.ok && ofGroup.value.text(style)).toContain(`Disruption budgets\n  cluster: ${CLUSTER}`);
    const status = aboutCluster(record);
    expect(status.ok && status.value.text(style)).toContain(`Disruption budgets (3)\n  cluster  ${CLUSTER}`);
  });

  it('are on the dashboard', () => {
    const page = widgetPage(record, [], { view: { kind: 'status' }, theme: 'light' }, { endpoint: 'arn' });
    for (const text of [
      'Disruption budgets (3)',
      'no node may be removed, until 2026-01-01 18:00 Europe/Berlin',
      OF_ODD,
    ]) {
      expect(page.replaceAll('&quot;', '"').replaceAll('&#34;', '"')).toContain(text);
    }
  });
});
