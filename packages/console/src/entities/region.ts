/** Display names of regions. */
import type { Region } from '@slipway/contract/service/service-spec.ts';
import type * as z from 'zod/mini';

const names: Readonly<Record<z.infer<typeof Region>, string>> = {
  WESTEUROPE: 'West Europe',
  NORTHEUROPE: 'North Europe',
  CENTRALUS: 'Central US',
};
const known: Readonly<Record<string, string>> = names;

/** Returns the region's display name; unknown regions of other server versions are returned unchanged. */
export const regionName = (region: string): string => known[region] ?? region;
