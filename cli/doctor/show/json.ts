import { printableData } from '@outrigger/core/model/values/printable.ts';
import type { Status } from '../checks/check.ts';
import type { CheckResult } from '../checks/checks.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { factOr } from '../facts/fact.ts';
import type { Facts } from '../facts/facts.ts';

/** The findings for programs. */
export function findingsAsJson({ settings, region }: Facts, checked: readonly CheckResult[]): string {
  const number = (status: Status): number => checked.filter(({ finding }) => finding.status === status).length;
  const document = {
    cluster: settings.cluster,
    region: factOr(region, null),
    mode: settings.mode,
    summary: { ok: number('ok'), warn: number('warn'), fail: number('fail'), unknown: number('unknown') },
    checks: checked.map(({ check: { id, title, why }, finding: { status, found, remedy } }) => ({
      id,
      title,
      status,
      found,
      why,
      remedy,
    })),
  };
  return jsonText(printableData(document));
}
