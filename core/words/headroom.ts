import type { HeadroomReport } from '../model/decision.ts';
import { groupedReasons, groupedReasonText } from './pod-reasons.ts';

/** Does some of the room not exist yet, or is there none? */
export const isShort = ({ wanted, fits, problem }: HeadroomReport): boolean => fits < wanted || problem !== undefined;

/** `5 of 8 virtual pods have room, 2 get a new node; web-a: Insufficient cpu`. */
export function headroomText({ wanted, fits, triggered, reasons = [], problem }: HeadroomReport): string {
  const counts = [
    `${fits} of ${wanted} virtual pods have room`,
    ...(triggered > 0 ? [`${triggered} get a new node`] : []),
  ].join(', ');
  const why = groupedReasons(reasons).map(groupedReasonText).join('; ');
  return [...(wanted > 0 ? [counts] : []), why, problem ?? ''].filter((part) => part !== '').join('; ');
}
