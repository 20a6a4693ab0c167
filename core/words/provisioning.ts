import type { ProvisioningOutcome, ProvisioningReport } from '../model/decision.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { formatTime } from '../model/values/time.ts';
import { roomText } from './headroom.ts';
import { reasonTexts } from './pod-reasons.ts';
import type { Words } from './words.ts';

/** The answers to a ProvisioningRequest. */
export const PROVISIONING_OUTCOMES: Readonly<Record<ProvisioningOutcome, Words>> = {
  Booked: { short: 'room is held', sentence: 'The room that the request was given is held for its pods.' },
  Waiting: {
    short: 'room is looked for later',
    sentence: 'No room was found lately, or other requests come first. Room is looked for again later.',
  },
  CapacityIsFound: { short: 'room is found', sentence: 'All pods of the request fit on existing and upcoming nodes.' },
  CapacityIsProvisioned: {
    short: 'nodes are added',
    sentence: 'All pods of the request have room, with the nodes that are added for it.',
  },
  CapacityIsNotFound: {
    short: 'no room for all pods',
    sentence: 'Not all pods of the request have room, so that none is given.',
    advice: 'Ask for less, or see why node groups do not grow.',
  },
  CapacityBookingConsumed: {
    short: 'all pods have come',
    sentence: 'All pods of the request have nodes, so that no room is held any more.',
  },
  CapacityReservationTimeExpired: {
    short: 'held for long enough',
    sentence: 'The time for which room is held is over.',
    advice: 'Create the pods sooner, or another request.',
  },
  Expired: {
    short: 'looked for too long',
    sentence: 'No room was found for as long as it is looked for.',
    advice: 'Create another request.',
  },
  FailedToCreatePods: {
    short: 'its pods are not known',
    sentence: 'It is not known what the pods of the request are like.',
    advice: 'Correct what the message names, and create another request.',
  },
  FailedToBookCapacity: {
    short: 'room cannot be held',
    sentence: 'It is not known any more what the pods of the request are like, so that no room is held.',
    advice: 'Keep the PodTemplate for as long as the request.',
  },
};

/** `CapacityIsNotFound, no room for all pods: 3 of 5 pods have room; web-a: Insufficient cpu`. */
export function provisioningText(report: ProvisioningReport): string {
  const { outcome, wanted, fits, triggered, until, reasons, message } = report;
  const isCounted = outcome === 'Booked' || outcome.startsWith('CapacityIs');
  const details = presentItems([
    isCounted && roomText(fits, wanted, 'pods', triggered),
    ...reasonTexts(reasons),
    mapOptional(until, (time) => `not before ${formatTime(time)}`),
    message,
  ]).join('; ');
  const short = `${outcome}, ${PROVISIONING_OUTCOMES[outcome].short}`;
  return details === '' ? short : `${short}: ${details}`;
}
