/** Decides from scan results whether a project's policy allows an image. */
import { messageOf } from '@slipway/contract/kernel/errors.ts';
import type { Db } from '#db/database.ts';
import type { ImageRules, PullVerdict } from '#ports/registry-content.ts';
import { usesOf } from '../images/runs.sql.ts';
import { policyOfApp } from '../project/registry.sql.ts';
import { scanRefusal, type Refusal } from '../scans/scan-refusal.ts';

export const refusalOf = async (db: Db, repository: string, digest: string): Promise<Refusal | undefined> => {
  const project = repository.slice(0, repository.indexOf('/'));
  const policy = await policyOfApp(db, project);
  return policy.preventVulnerableImages ? scanRefusal(db, { digest, policy, now: new Date() }) : undefined;
};

/** Returns the rules that the registry checks before it serves, moves or deletes an image. */
export const imageRules = (db: Db): ImageRules => ({
  uses: usesOf,
  mayPull: async (repository, digest): Promise<PullVerdict> => {
    const refusal = await refusalOf(db, repository, digest);
    return refusal ? { ...refusal, isAllowed: false, message: messageOf(refusal.code, refusal.context) } : { isAllowed: true };
  },
});
