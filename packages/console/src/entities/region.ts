/** Regions in words. */
import type { Region } from '@slipway/contract/service/service-spec.ts';
import type * as z from 'zod/mini';

const names: Readonly<Record<z.infer<typeof Region>, string>> = {
  WESTEUROPE: 'West Europe',
  NORTHEUROPE: 'North Europe',
  CENTRALUS: 'Central US',
};
const known: Readonly<Record<string, string>> = names;

/** What another version of the server names is shown as it is. */
export const regionName = (region: string): string => known[region] ?? region;
