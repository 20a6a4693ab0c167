import type { Discovery } from '@outrigger/core/model/discovery.ts';
import { writeDiscovery } from '@outrigger/providers/schema/discovery.ts';

/** The rules for Auto Scaling groups that are node groups, as the environment of a function has them. */
export const discoveryAsJson = (discovery: Discovery): string => JSON.stringify(writeDiscovery(discovery));
