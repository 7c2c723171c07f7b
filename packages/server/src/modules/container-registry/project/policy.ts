/** Checks, stores and shows a project's policy. */
import {
  isCveExpired,
  maxAllowedCveDays,
  type AllowedCve,
  type RegistryPolicy,
  type RegistryPolicyUpdate,
} from '@slipway/contract/registry/policy.ts';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { tagMatcher } from '#modules/services/index.ts';

/** Initial policy of every project. It refuses no image and deletes no tag. */
export const openPolicy: RegistryPolicy = {
  isPublic: false,
  preventVulnerableImages: false,
  severity: 'high',
  retention: null,
  allowedCves: [],
};
const DAY_MS = 86_400_000;

/** Returns the policy with `isExpired` computed for `now` instead of the time at which the CVE was allowed. */
export const policyAt = (policy: RegistryPolicy, now: Date): RegistryPolicy => ({
  ...policy,
  allowedCves: policy.allowedCves.map((cve) => ({ ...cve, isExpired: isCveExpired(cve, now) })),
});

/** Throws an error for each invalid field. An allowed CVE that has expired may stay if it is unchanged. */
export const requireSound = (wanted: RegistryPolicyUpdate, before: RegistryPolicy, now: Date): void => {
  const latest = new Date(now.getTime() + maxAllowedCveDays * DAY_MS).toISOString().slice(0, 10);
  const seen = new Set<string>();
  const errors = wanted.allowedCves.flatMap((cve, index): FieldError[] => {
    const field = `allowedCves.${index}`;
    if (seen.has(cve.cveId)) return [{ field: `${field}.cveId`, code: 'DuplicateCve', context: { name: cve.cveId } }];
    seen.add(cve.cveId);
    const isKept = before.allowedCves.some((known) => known.cveId === cve.cveId && known.expiresAt === cve.expiresAt);
    const isSound = isKept || (!isCveExpired(cve, now) && cve.expiresAt <= latest);
    return isSound ? [] : [{ field: `${field}.expiresAt`, code: 'CveExpiry', context: { max: String(maxAllowedCveDays) } }];
  });
  if (errors.length > 0) throw Problem.fields(errors);
  const pattern = wanted.retention?.keepPattern;
  if (pattern) tagMatcher(pattern, 'retention.keepPattern');
};

/** Returns the policy to store. Unchanged CVEs keep their author and date; changed ones get the caller and `now`. */
export const policyOf = (wanted: RegistryPolicyUpdate, before: RegistryPolicy, caller: Caller, now: Date): RegistryPolicy => {
  const author = { id: caller.id, displayName: caller.displayName };
  return {
    ...wanted,
    allowedCves: wanted.allowedCves.map((cve): AllowedCve => {
      const known = before.allowedCves.find(({ cveId }) => cveId === cve.cveId);
      const isSame = known?.reason === cve.reason && known.expiresAt === cve.expiresAt;
      return isSame ? known : { ...cve, author, createdAt: now.toISOString(), isExpired: false };
    }),
  };
};
