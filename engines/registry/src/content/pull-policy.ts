// Decides by the project's policy whether an image may be pulled. The platform itself may read everything, and its node agent may pull
// any image again that a live revision runs.
import { isNode } from '@slipway/foundation/ports/registry.ts';
import { PLATFORM } from '../sign-in/tokens.ts';
import type { Call, RegistryContext } from '../context.ts';
import { RegistryError } from '../registry-error.ts';
import { selectKin, selectKind } from './removal.sql.ts';

/** Artifact types of images. The pull policy exempts other manifests, such as signatures and SBOMs, because they are never scanned. */
const IMAGE_CONFIGS: readonly (string | null)[] = [
  null,
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
];

/** Throws 412 with the reason if the policy forbids the pull, as Harbor does. */
export async function requirePull(context: RegistryContext, { repository, caller }: Call, digest: string): Promise<void> {
  if (caller.name === PLATFORM) return;
  const verdict = await context.rules.mayPull(repository, digest);
  if (verdict.isAllowed || (await isExempt(context, repository, digest, caller.name))) return;
  throw new RegistryError(412, 'PROJECTPOLICYVIOLATION', verdict.message, {}, { reason: verdict.code, ...verdict.context });
}

async function isExempt({ pool, rules }: RegistryContext, repository: string, digest: string, name: string): Promise<boolean> {
  const kind = await selectKind(pool, repository, digest);
  if (kind?.subject !== null || !IMAGE_CONFIGS.includes(kind.artifactType)) return true;
  if (!isNode(name)) return false;
  const parents = (await selectKin(pool, repository, digest))?.parents ?? [];
  return (await rules.uses(pool, repository, [digest, ...parents])).some(({ isLive }) => isLive);
}
