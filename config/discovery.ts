import type { Discovery } from '../core/model/discovery.ts';
import { writeDiscovery } from '../providers/schema/discovery.ts';

/** Which Auto Scaling groups are node groups, as the environment of a function has it. */
export const discoveryAsJson = (discovery: Discovery): string => JSON.stringify(writeDiscovery(discovery));
